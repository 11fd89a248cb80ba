/** Old parts of a real database's tree in files: every leaf is in it or in a bundle, whichever process is cut off where. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { restoreSegment } from "@safelight/audit"
import { createSequencer } from "@safelight/proof"
import { submitSample } from "@safelight/testkit"
import { ENDED, type ArchivedDatabase } from "../../core/support/archived-log.ts"
import { archiveBundles, createBundledLog, readTreeOf } from "../../core/support/bundled-log.ts"
import { cutOff, fail } from "../../core/support/cut-off.ts"
import { signStorage, tree } from "../../support/signed-storage.ts"

/** One bundle. */
const FEW = 66_000

export function describeTreeArchive(name: string, open: () => Promise<ArchivedDatabase>): void {
  describe(`old parts of a tree on ${name}`, () => {
    it("move, and every proof, leaf and tile stays the same to the byte", async () => {
      await using log = await createBundledLog(open)
      const before = await readTreeOf(log.storage, ENDED)
      const young = await archiveBundles(log, { before: 65_000 })
      assert.deepEqual(young, { bundles: 0, bytes: 0 })
      const { bundles, bytes } = await archiveBundles(log)
      assert.equal(bundles, 2)
      assert.ok(bytes > 2 * 65_536 * 32)
      assert.deepEqual(await readTreeOf(log.storage, ENDED), before)
      await log.reopen()
      assert.deepEqual(await readTreeOf(log.storage, ENDED), before)
      assert.deepEqual(await archiveBundles(log), { bundles: 0, bytes: 0 })
    })

    it("leave a tree that grows, is signed again and takes no event twice", async () => {
      await using log = await createBundledLog(open, FEW)
      await log.archive()
      const leaves = await log.storage.readLeaves(ENDED[0] ?? "")
      await archiveBundles(log)
      const [segment = assert.fail()] = await log.storage.listSegments()
      await restoreSegment({ ...log, segment })
      const before = await log.storage.readTree()
      await log.storage.append(submitSample({ id: "new" }).append)
      const after = await createSequencer({ storage: log.storage, tree }).sequence()
      assert.equal(after?.size, (before?.size ?? 0) + 1)
      assert.deepEqual(await log.storage.readLeaves(ENDED[0] ?? ""), leaves)
      // It proves that the last checkpoint is extended, or signs nothing.
      await signStorage(log.storage)
    })

    it("are moved by one process of several, each once", async () => {
      await using log = await createBundledLog(open, FEW)
      const before = await readTreeOf(log.storage, ENDED)
      const reports = await Promise.all([
        archiveBundles(log),
        archiveBundles(log),
        archiveBundles(log),
      ])
      assert.equal(
        reports.reduce((sum, { bundles }) => sum + bundles, 0),
        1,
      )
      assert.deepEqual(await readTreeOf(log.storage, ENDED), before)
    })

    it("are in the database or in a file that is read, wherever moving was cut off", async () => {
      for (const isDone of [false, true]) {
        await using log = await createBundledLog(open, FEW)
        const before = await readTreeOf(log.storage, ENDED)
        let cuts = 0
        // A try that was cut off moves nothing, but for the last.
        while ((await log.storage.listBundles()).length === 0) {
          let left = cuts
          const onCall = (call: () => Promise<unknown>): Promise<unknown> => {
            left -= 1
            return left === -1 ? fail(isDone ? call() : undefined) : call()
          }
          const storage = cutOff(log.storage, onCall)
          const artifacts = cutOff(log.artifacts, onCall)
          const moving = archiveBundles(log, { storage, artifacts })
          await moving.catch(() => (cuts += 1))
          await log.reopen()
          assert.deepEqual(await readTreeOf(log.storage, ENDED), before, `call ${cuts}`)
          if (left > -1) break
        }
        assert.ok(cuts >= 5, `cut off at ${cuts} calls`)
        assert.equal((await log.storage.listBundles()).length, 1)
        assert.deepEqual(await archiveBundles(log), { bundles: 0, bytes: 0 })
      }
    })
  })
}
