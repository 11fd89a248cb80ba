/**
 * Faults over SQLite, the short round of every test run: whatever dies, every 202 names a task that
 * ends, nothing is bought twice or charged wrongly, and the log re-derives everything.
 */
import { describe, it } from "node:test"
import { assertKept } from "./assert-kept.ts"
import { playOnSqlite, SQLITE_STORIES } from "./rounds.ts"

const SEED = "1"

// Two at a time: much of a round is waiting for what is in doubt.
describe("over SQLite nothing is lost and nothing is bought twice", { concurrency: 2 }, () => {
  for (const story of SQLITE_STORIES) {
    it(story.words, async (t) => {
      assertKept(t, await playOnSqlite(story, { seed: SEED, size: "short" }))
    })
  }
})
