/**
 * Faults over PostgreSQL with several nodes, the short round of every test run: nodes, network,
 * server and transactions fail, and every promise is kept all the same.
 */
import { after, before, describe, it } from "node:test"
import { startPostgres, type PostgresServer } from "../support/postgres-server.ts"
import { assertKept } from "./assert-kept.ts"
import { playOnPostgres, POSTGRES_STORIES, SERVER_SETTINGS } from "./rounds.ts"

const SEED = "1"

describe("over PostgreSQL nothing is lost and nothing is bought twice", () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres({ settings: SERVER_SETTINGS })
  })
  after(() => server[Symbol.asyncDispose]())

  for (const story of POSTGRES_STORIES) {
    it(story.words, async (t) => {
      assertKept(t, await playOnPostgres(story, server, { seed: SEED, size: "short" }))
    })
  }
})
