/**
 * The same nodes as of postgres-nodes.test.ts, through a PgBouncer that works by transaction: without an address to
 * listen at, so that they find each other's work by polling, and with one.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { createPostgresWorld } from "../service/postgres/postgres-world.ts"
import { skipWithoutPgbouncer } from "../support/pgbouncer.ts"
import { killTwoOfThree, replaceAll } from "./support/postgres-nodes.ts"

const skip = skipWithoutPgbouncer()

test(
  "two of three nodes behind PgBouncer are killed: every task they accepted ends, once, and is told of",
  {
    skip,
  },
  async (t) => {
    await killTwoOfThree(t, await createPostgresWorld(t, { isPooled: true }))
  },
)

test(
  "all nodes behind PgBouncer are replaced under load, each listening past it: nothing is lost, all is told",
  {
    skip,
  },
  async (t) => {
    const world = await createPostgresWorld(t, { isPooled: true })
    const environment = { ...world.environment, SAFELIGHT_LISTEN_DATABASE_URL: world.database }
    const words: string[] = []
    await replaceAll(t, {
      ...world,
      async serve(more, options) {
        const node = await world.serve(more, { ...options, environment })
        words.push(node.stdout() + node.stderr())
        return node
      },
    })
    for (const said of words) {
      assert.match(
        said,
        /"wakeUps":"by LISTEN at an address of its own","msg":"database connections"/,
      )
    }
  },
)
