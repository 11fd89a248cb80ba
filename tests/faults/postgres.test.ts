/**
 * Faults over PostgreSQL with several nodes, the short round of every test run: nodes, network,
 * server and transactions fail, and every promise is kept all the same.
 */
import { after, before, describe, it } from "node:test"
import { startPostgres, type PostgresServer } from "../support/postgres-server.ts"
import { assertKept } from "./assert-kept.ts"
import {
  playOnPostgres,
  POSTGRES_STORIES,
  ROOMY_SERVER_SETTINGS,
  SERVER_SETTINGS,
} from "./rounds.ts"

const SEED = "1"

/** What stops its server, or takes all connections of it, has one of its own. */
const OF_SERVER = ["server", "transactions"]

const [alone, beside] = [true, false].map((isOwn) =>
  POSTGRES_STORIES.filter(({ name }) => OF_SERVER.includes(name) === isOwn),
)

function play(stories: typeof POSTGRES_STORIES, settings: readonly string[]): void {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres({ settings })
  })
  after(() => server[Symbol.asyncDispose]())

  for (const story of stories) {
    it(story.words, async (t) => {
      assertKept(t, await playOnPostgres(story, server, { seed: SEED, size: "short" }))
    })
  }
}

describe("over PostgreSQL nothing is lost and nothing is bought twice", () => {
  // Two at a time, since much of a round is waiting: for a lease to expire, or for a reply.
  describe("beside others", { concurrency: 2 }, () => play(beside ?? [], ROOMY_SERVER_SETTINGS))
  describe("with a server of its own", () => play(alone ?? [], SERVER_SETTINGS))
})
