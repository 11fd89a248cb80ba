/**
 * Several real nodes on one database and one bucket while a client submits through all of them: one
 * is killed, or all are replaced one after another. Every 202 that the client got names a task that
 * ends as its prompt asks for, and that a webhook told of. The long version, with far more ways to die, is in
 * `faults`.
 */
import { test } from "node:test"
import { createPostgresWorld } from "../service/postgres/postgres-world.ts"
import { killTwoOfThree, replaceAll } from "./support/postgres-nodes.ts"

test("two of three nodes are killed: every task they accepted ends, once, and is told of", async (t) => {
  await killTwoOfThree(t, await createPostgresWorld(t))
})

test("all nodes are replaced under load: nothing is lost, all is told, and none answers 5xx before it leaves", async (t) => {
  await replaceAll(t, await createPostgresWorld(t))
})
