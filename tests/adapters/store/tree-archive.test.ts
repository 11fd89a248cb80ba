/** A part of the tree that is read while another process archives it. */
import assert from "node:assert/strict"
import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { test } from "node:test"
import { BUNDLE_LEAVES, type ArchivedBundle } from "@safelight/core"
import { createStorage, type Driver } from "@safelight/store"
import { growTree } from "../../support/signed-storage.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createSmallDriver } from "./small-driver.ts"

const ARCHIVED: ArchivedBundle = {
  id: 0,
  at: 1,
  firstAt: 1,
  lastAt: 1,
  locator: "00/archive/tree/0",
  bytes: 9_000,
  sha256: "cd".repeat(32),
  runsSha256: "ef".repeat(32),
}

test("a bundle that another process archives while it is read is none, whichever statement came first", async () => {
  await using folder = await createTemporaryFolder()
  const [whole, file] = [join(folder.path, "whole.db"), join(folder.path, "small.db")]
  const grown = createStorage(await createSmallDriver(whole))
  await grown.openTree()
  await growTree(grown, BUNDLE_LEAVES)
  await grown.close()

  /** What is read, and by how many statements, if another process archives it before the one of that number. */
  async function readBundle(archivedAt?: number) {
    await copyFile(whole, file)
    const driver = await createSmallDriver(file)
    const other = createStorage(await createSmallDriver(file))
    let reads = 0
    const read: Driver["read"] = async (statement, values) => {
      reads += 1
      if (reads === archivedAt) assert.ok(await other.archiveBundle(ARCHIVED))
      return driver.read(statement, values)
    }
    const storage = createStorage({ ...driver, read })
    const bundle = await storage.readBundle({ before: Number.MAX_SAFE_INTEGER })
    await storage.close()
    await other.close()
    return { bundle, reads }
  }

  const { bundle, reads } = await readBundle()
  assert.equal(bundle?.id, 0)
  for (const at of [1, 2, 3, 4, 5, 6, reads - 2, reads - 1, reads]) {
    const found = await readBundle(at)
    assert.equal(found.bundle, undefined, `statement ${at}`)
  }
})
