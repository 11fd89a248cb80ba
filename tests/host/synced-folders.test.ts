/** Folders that are made durably, by several callers at once. */
import assert from "node:assert/strict"
import { stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { test } from "node:test"
import { makeSyncedFolder, syncFolder } from "@safelight/host"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

test("a folder is made with those above it, for its owner alone, whoever is quicker", async () => {
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, "one", "two", "three")
  await Promise.all([makeSyncedFolder(path), makeSyncedFolder(path), makeSyncedFolder(path)])
  for (const each of [path, join(path, "..")]) {
    // oxlint-disable-next-line no-await-in-loop
    const { mode } = await stat(each)
    if (process.platform !== "win32") assert.equal(mode & 0o777, 0o700)
  }
  await syncFolder(path)
})

test("a folder that can't be made or synced is an error of the system", async () => {
  await using folder = await createTemporaryFolder()
  await assert.rejects(syncFolder(join(folder.path, "none")), { code: "ENOENT" })
  const file = join(folder.path, "file")
  await writeFile(file, "")
  await assert.rejects(makeSyncedFolder(join(file, "below")), { code: /^(ENOTDIR|ENOENT)$/ })
})
