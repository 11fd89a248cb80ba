/**
 * Nodes on one PostgreSQL that are well, in surroundings that are not, the short round of every test
 * run: providers away or slow, connections refused, clocks and prices that differ, accounts that are
 * full, a server that lost its last commits.
 */
import { after, before, describe, it } from "node:test"
import { startPostgres, type PostgresServer } from "../support/postgres-server.ts"
import { assertKept } from "./assert-kept.ts"
import { playOnPostgres, ROOMY_SERVER_SETTINGS, SURROUNDING_STORIES } from "./rounds.ts"

const SEED = "1"

const isOfServer = ({ name }: { readonly name: string }): boolean => name === "set-back"

// Several at a time, since much of a round is waiting; what stops its server has one of its own.
describe(
  "in bad surroundings nothing is lost and nothing is bought twice",
  { concurrency: 4 },
  () => {
    let shared: PostgresServer
    let own: PostgresServer
    before(async () => {
      const settings = { settings: ROOMY_SERVER_SETTINGS }
      shared = await startPostgres(settings)
      own = await startPostgres(settings)
    })
    after(() => Promise.all([shared[Symbol.asyncDispose](), own[Symbol.asyncDispose]()]))

    for (const story of SURROUNDING_STORIES) {
      it(story.words, async (t) => {
        const server = isOfServer(story) ? own : shared
        assertKept(t, await playOnPostgres(story, server, { seed: SEED, size: "short" }))
      })
    }
  },
)
