/**
 * Several real nodes on one database and one bucket while a client submits through all of them, and two are killed;
 * `upgrade-postgres.test.ts` replaces them. Every 202 that the client got names a task that ends as its prompt asks for,
 * and that a webhook told of. The long version, with far more ways to die, is in `faults`.
 */
import { test } from "node:test"
import { createPostgresWorld } from "../service/postgres/postgres-world.ts"
import { killTwoOfThree } from "./support/postgres-nodes.ts"

test("two of three nodes are killed: every task they accepted ends, once, and is told of", async (t) => {
  await killTwoOfThree(t, await createPostgresWorld(t))
})
