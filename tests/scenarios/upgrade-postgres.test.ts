/**
 * Real nodes of an older release are replaced by this one under load, one after another, as an operator does it. The long
 * version, with the oracle that judges faults, is `npm run test:faults -- --upgrade-from COMMIT`.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { createPostgresWorld } from "../service/postgres/postgres-world.ts"
import { openOlderRelease, skipWithoutCommit } from "../support/older-release.ts"
import { replaceAll } from "./support/postgres-nodes.ts"

/** The last one with schema 11, which the schema of this one allows. */
const OLDER = "5400f8423bc3ddc4b6bf740eb6135e05ba83f2fa"
/** The last one with schema 9, which that excludes. */
const EXCLUDED = "0dd486a68259bade36e0aa0f58092357777d855a"

test("all nodes are replaced under load: nothing is lost, all is told, and none answers 5xx before it leaves", async (t) => {
  const missing = skipWithoutCommit(OLDER)
  if (missing !== false) t.diagnostic(`${missing}: the nodes before are of this release too`)
  await using older = missing === false ? await openOlderRelease(OLDER) : undefined
  await replaceAll(t, await createPostgresWorld(t), older)
})

test(
  "a release that the new schema excludes keeps it away while it serves, and is kept away afterwards",
  { skip: skipWithoutCommit(EXCLUDED) },
  async (t) => {
    await using older = await openOlderRelease(EXCLUDED)
    const world = await createPostgresWorld(t)
    world.install(older)
    const serving = await world.serve()
    world.install()
    await assert.rejects(
      world.serve(),
      /safelight: an older release uses this database .* stop all its processes first/,
    )
    serving.kill("SIGTERM")
    assert.equal((await serving.ended).code, 0)
    await world.serve()
    world.install(older)
    await assert.rejects(
      world.serve(),
      /safelight: the database has schema \d+ .* Start a newer .*$/m,
    )
  },
)
