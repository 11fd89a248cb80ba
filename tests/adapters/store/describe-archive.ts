/**
 * The archive of a real database: every task is in it or in a segment, whichever process is cut off where, and every read
 * gives what it gave before.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { restoreSegment } from "@safelight/audit"
import type { Storage } from "@safelight/core"
import {
  assertAudited,
  createArchivedLog,
  type ArchivedDatabase,
} from "../../core/support/archived-log.ts"
import { cutOff, fail } from "../../core/support/cut-off.ts"
import { NOW, toTaskId } from "../../core/support/transfer-source.ts"

/** Of the sample tasks, those that stay in the database. */
const LEFT = ["0", "1", "5", "6", "7", "8"].map(toTaskId)

export function describeArchive(name: string, open: () => Promise<ArchivedDatabase>): void {
  describe(`an archive of ${name}`, () => {
    it("takes every task that has ended and of which nothing is due, and the log stays the same to the byte", async () => {
      await using log = await createArchivedLog(open)
      const before = await log.readLines()
      const report = await log.archive()
      const { bytes, ...counts } = report
      assert.deepEqual(counts, { outcome: "done", segments: 1, tasks: 4, left: 0 })
      assert.ok(bytes > 0)
      assert.deepEqual(await log.listEventTasks(), LEFT)
      assert.deepEqual(await log.readLines(), before)
      await log.reopen()
      assert.deepEqual(await log.readLines(), before)
      await assertAudited(log.storage)
      const again = await log.archive()
      assert.deepEqual([again.segments, again.tasks], [0, 0])
    })

    it("lets one process write at a time; of two each task is moved by one", async () => {
      await using log = await createArchivedLog(open)
      const before = await log.readLines()
      const reports = await Promise.all([log.archive(), log.archive(), log.archive()])
      const sum = reports.reduce((tasks, report) => tasks + report.tasks, 0)
      assert.equal(sum, 4)
      assert.ok(reports.some(({ outcome }) => outcome === "busy"))
      assert.deepEqual(await log.readLines(), before)
      await assertAudited(log.storage)
    })

    it("loses nothing and has nothing twice, wherever it is cut off", async () => {
      for (const isDone of [false, true]) {
        let [calls, cuts] = [0, 0]
        for (let at = 1; ; at += 1) {
          await using log = await createArchivedLog(open)
          const before = await log.readLines()
          calls = 0
          const cut = {
            storage: cutOff(log.storage, onCall),
            artifacts: cutOff(log.artifacts, onCall),
          }
          function onCall(call: () => Promise<unknown>): Promise<unknown> {
            calls += 1
            return calls === at ? fail(isDone ? call() : undefined) : call()
          }
          const failed = await log.archive({ ...cut, segmentTasks: 2 }).then(
            () => false,
            () => true,
          )
          assert.equal(failed, calls >= at, `call ${at}`)
          assert.deepEqual(await log.readLines(), before, `call ${at}`)
          await log.reopen()
          // A segment that was begun and not kept is in the way for an hour.
          await log.archive({ now: NOW + 3_600_000 })
          assert.deepEqual(await log.listEventTasks(), LEFT)
          assert.deepEqual(await log.readLines(), before, `call ${at}`)
          await assertAudited(log.storage)
          if (!failed) break
          cuts += 1
        }
        assert.ok(cuts > 15, `cut off at ${cuts} calls`)
      }
    })
  })

  describe(`a segment that is restored to ${name}`, () => {
    it("has its tasks in the database again, and is gone", async () => {
      await using log = await createArchivedLog(open)
      const before = await log.readLines()
      await log.archive({ segmentTasks: 3 })
      const [first = assert.fail(), second = assert.fail()] = await log.storage.listSegments()
      assert.equal(await restoreSegment({ ...log, segment: first, removesFile: true }), 3)
      assert.deepEqual(await log.storage.listSegments(), [second])
      await assert.rejects(log.artifacts.open({ locator: first.locator }), {
        code: "artifact-missing",
      })
      assert.deepEqual(await log.readLines(), before)
      assert.equal(await restoreSegment({ ...log, segment: second }), 1)
      await (await log.artifacts.open({ locator: second.locator })).close()
      assert.equal((await log.listEventTasks()).length, 10)
      assert.deepEqual(await log.readLines(), before)
      await assertAudited(log.storage)
      assert.deepEqual((await log.storage.listUnsequenced(100)).events, [])
    })

    it("keeps what is moved while it is restored, and is restored by another try", async () => {
      await using log = await createArchivedLog(open)
      const before = await log.readLines()
      let tried: unknown
      const storage: Storage = {
        ...log.storage,
        async archiveTasks(request) {
          const [segment = assert.fail()] = await log.storage.listSegments()
          // It has no tasks yet, so that it may be dropped: then nothing is moved to it.
          tried ??= await restoreSegment({ ...log, segment })
          return log.storage.archiveTasks(request)
        },
      }
      const report = await log.archive({ storage, segmentTasks: 3 })
      assert.deepEqual([tried, report.tasks], [0, 1])
      assert.deepEqual(await log.readLines(), before)
      await assertAudited(log.storage)
    })

    it("is restored by another try wherever one was cut off", async () => {
      let cuts = 0
      for (let at = 1; ; at += 1) {
        await using log = await createArchivedLog(open)
        const before = await log.readLines()
        await log.archive()
        const [segment = assert.fail()] = await log.storage.listSegments()
        let calls = 0
        const onCall = (call: () => Promise<unknown>): Promise<unknown> => {
          calls += 1
          return calls === at ? fail(call()) : call()
        }
        const cut = {
          storage: cutOff(log.storage, onCall),
          artifacts: cutOff(log.artifacts, onCall),
        }
        const failed = await restoreSegment({ ...cut, segment, removesFile: true }).then(
          () => false,
          () => true,
        )
        assert.deepEqual(await log.readLines(), before, `call ${at}`)
        const isLeft = (await log.storage.listSegments()).length > 0
        if (isLeft) await restoreSegment({ ...log, segment })
        assert.equal((await log.listEventTasks()).length, 10, `call ${at}`)
        assert.deepEqual(await log.readLines(), before, `call ${at}`)
        await assertAudited(log.storage)
        if (!failed) break
        cuts += 1
      }
      assert.ok(cuts > 5)
    })
  })
}
