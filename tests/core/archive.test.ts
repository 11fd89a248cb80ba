/** The archive: finished tasks in files beside the artifacts, which every read of them is made from. */
import assert from "node:assert/strict"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import { zstdDecompressSync } from "node:zlib"
import {
  auditArtifacts,
  checkLog,
  createArchiveReader,
  restoreSegment,
  type ArchiveOptions,
} from "@safelight/audit"
import { SafelightError, type ArtifactStorage, type Storage } from "@safelight/core"
import { createLogCheck, isRefusal, openCheckpoint, toVerifierText } from "@safelight/proof"
import { verifyEd25519 } from "@safelight/proof/node"
import { ORIGIN } from "../proof/signed-tasks.ts"
import { signer, tree } from "../support/signed-storage.ts"
import {
  assertAudited,
  createArchivedLog,
  ENDED,
  type ArchivedLog,
} from "./support/archived-log.ts"
import { checkByPython, skip } from "./support/python-checker.ts"
import { sha256 as digest } from "./support/sha256.ts"
import { NOW, toFile, toTaskId } from "./support/transfer-source.ts"

describe("the archive", () => {
  it("takes every task that has ended and of which nothing is due, and the log stays the same to the byte", async () => {
    await using log = await createArchivedLog()
    const before = await log.readLines()
    const report = await log.archive()
    const { bytes, ...counts } = report
    const events = ENDED.length * 4 - 2
    assert.deepEqual(counts, { outcome: "done", segments: 1, tasks: 4, events, left: 0 })
    assert.ok(bytes > 0)
    assert.deepEqual(listEventTasks(log), ["0", "1", "5", "6", "7", "8"].map(toTaskId))
    assert.deepEqual(await log.readLines(), before)
    await log.reopen()
    assert.deepEqual(await log.readLines(), before)
    await assertAudited(log.storage)
    const again = await log.archive()
    assert.deepEqual([again.segments, again.tasks], [0, 0])
  })

  it("has segments of as many tasks as is said, which end at the moment that is said", async () => {
    await using log = await createArchivedLog()
    const before = await log.readLines()
    const ends = await Promise.all(
      ENDED.map(async (task) => (await log.storage.readTask(task))?.task.finishedAt ?? 0),
    )
    const finishedBefore = Math.max(...ends)
    const early = await log.archive({ finishedBefore })
    assert.equal(early.tasks, ends.filter((at) => at < finishedBefore).length)
    const late = await log.archive({ segmentTasks: 1 })
    assert.deepEqual([late.tasks + early.tasks, late.segments], [4, late.tasks])
    assert.deepEqual(await log.readLines(), before)
  })

  it("is a file that any tool decompresses and both checkers prove, under the signed checkpoint", async () => {
    await using log = await createArchivedLog()
    await log.archive()
    const lines = await readSegment(log)
    const options = { origin: ORIGIN, logKeys: [signer.key], verify: verifyEd25519 }
    const opened = await openCheckpoint(log.note, options)
    assert.ok(!isRefusal(opened))
    const check = createLogCheck({ tree, checkpoint: opened.checkpoint, isSelection: true })
    const refusals: unknown[] = []
    const report = await checkLog({
      open: toFile(lines),
      digest,
      onRecord(record) {
        if (record.kind === "stream") refusals.push(check.add(record) ?? record.task)
      },
    })
    assert.deepEqual([report.outcome, report.tasks], ["whole", 4])
    assert.deepEqual([refusals, check.finish()], [ENDED, undefined])
  })

  it("is proved by check.py too", { skip }, async () => {
    await using log = await createArchivedLog()
    await log.archive()
    const lines = await readSegment(log)
    const altered = lines.map((line) => line.replaceAll('\\"ann\\"', '\\"bob\\"'))
    const key = toVerifierText(signer.key)
    const [right = [], wrong = []] = await checkByPython([lines, altered], key)
    // The sample's prices are of before prices were kept.
    assert.deepEqual([right[0], wrong[0]], [2, 1], right[1] ?? "")
    assert.match(right[1] ?? "", /could not tell: 4 tasks, 14 events/)
  })

  it("holds nothing that a person wrote", async () => {
    await using log = await createArchivedLog()
    await log.archive()
    const streams = (await readSegment(log))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ kind }) => kind === "stream")
    assert.equal(streams.length, 4)
    for (const { idempotency, inputs, labels } of streams) {
      assert.deepEqual([idempotency, inputs, labels], [[], [], []])
    }
  })

  it("leaves a task whose events the checkpoint does not have", async () => {
    await using log = await createArchivedLog()
    const [kept = ""] = ENDED
    const report = await log.archive({
      readLeaves: async (task) => (task === kept ? [] : read(task)),
    })
    async function read(task: string) {
      const leaves = await log.storage.readLeaves(task)
      return leaves.map(({ index }) => ({ index, proof: [] }))
    }
    assert.deepEqual([report.tasks, report.left], [3, 1])
    assert.ok(listEventTasks(log).includes(kept))
  })

  it("lets one process write at a time; of two each task is moved by one", async () => {
    await using log = await createArchivedLog()
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
        await using log = await createArchivedLog()
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
        assert.deepEqual(listEventTasks(log), ["0", "1", "5", "6", "7", "8"].map(toTaskId))
        assert.deepEqual(await log.readLines(), before, `call ${at}`)
        await assertAudited(log.storage)
        if (!failed) break
        cuts += 1
      }
      assert.ok(cuts > 15, `cut off at ${cuts} calls`)
    }
  })

  it("is named where its bytes are altered or gone, and never believed", async () => {
    await using log = await createArchivedLog()
    await log.archive()
    const [segment = assert.fail()] = await log.storage.listSegments()
    const path = join(log.folder, "artifacts", segment.locator)
    const bytes = await readFile(path)
    const [task = ""] = ENDED
    for (let place = 200; place < bytes.length - 60; place += 97) {
      const altered = Buffer.from(bytes)
      altered.writeUInt8((altered[place] ?? 0) ^ 1, place)
      await writeFile(path, altered)
      await log.reopen()
      const read = await log.storage.readEvents(task).catch((error: unknown) => error)
      const isUnread = read instanceof SafelightError && read.code === "storage-corrupt"
      const isSame = Array.isArray(read)
      assert.ok(isUnread || isSame, `byte ${place}`)
      const report = await auditArtifacts({ ...log, now: NOW })
      assert.deepEqual(report.findings, [
        { kind: "differs", task: "archive", key: "segment-1", expiresAt: Number.MAX_SAFE_INTEGER },
      ])
    }
    await rm(path)
    await log.reopen()
    await assert.rejects(log.storage.readTask(task), { code: "storage-corrupt" })
    assert.deepEqual((await auditArtifacts({ ...log, now: NOW })).findings, [
      { kind: "missing", task: "archive", key: "segment-1", expiresAt: Number.MAX_SAFE_INTEGER },
    ])
  })

  it("is unavailable while its place is, and read once that is back", async () => {
    await using log = await createArchivedLog()
    await log.archive()
    const [task = ""] = ENDED
    let isAway = true
    const open: ArtifactStorage["open"] = async (request) => {
      if (!isAway) return log.artifacts.open(request)
      throw new SafelightError({ code: "artifacts-unavailable", message: "the bucket is silent" })
    }
    log.storage.useArchive(createArchiveReader({ artifacts: async () => ({ open }) }))
    for (const read of [
      () => log.storage.readTask(task),
      () => log.storage.scan({ after: "", limit: 9 }),
    ]) {
      await assert.rejects(read, { code: "storage-unavailable", retryable: true })
    }
    isAway = false
    assert.equal((await log.storage.readTask(task))?.task.id, task)
  })

  it("is no unknown file among the artifacts, and one that nothing knows is named", async () => {
    await using log = await createArchivedLog()
    await log.archive()
    assert.deepEqual((await auditArtifacts({ ...log, now: NOW })).findings, [])
    const body = (async function* () {
      yield Buffer.from("left by a process that was killed")
    })()
    const { locator } = await log.artifacts.put({ task: "archive", key: "segment-9", body })
    assert.deepEqual((await auditArtifacts({ ...log, now: NOW })).findings, [
      { kind: "unknown-task", task: "archive", locator },
    ])
  })
})

describe("a segment that is restored", () => {
  it("has its tasks in the database again, and is gone", async () => {
    await using log = await createArchivedLog()
    const before = await log.readLines()
    await log.archive({ segmentTasks: 3 })
    const [first = assert.fail(), second = assert.fail()] = await log.storage.listSegments()
    assert.equal(await restoreSegment({ ...log, digest, segment: first }), 3)
    assert.deepEqual(await log.storage.listSegments(), [second])
    await assert.rejects(log.artifacts.open({ locator: first.locator }), {
      code: "artifact-missing",
    })
    assert.deepEqual(await log.readLines(), before)
    assert.equal(await restoreSegment({ ...log, digest, segment: second, keepsFile: true }), 1)
    await (await log.artifacts.open({ locator: second.locator })).close()
    assert.equal(listEventTasks(log).length, 10)
    assert.deepEqual(await log.readLines(), before)
    await assertAudited(log.storage)
    assert.deepEqual((await log.storage.listUnsequenced(100)).events, [])
  })

  it("is restored by another try wherever one was cut off", async () => {
    let cuts = 0
    for (let at = 1; ; at += 1) {
      await using log = await createArchivedLog()
      const before = await log.readLines()
      await log.archive()
      const [segment = assert.fail()] = await log.storage.listSegments()
      let calls = 0
      const onCall = (call: () => Promise<unknown>): Promise<unknown> => {
        calls += 1
        return calls === at ? fail(call()) : call()
      }
      const cut = { storage: cutOff(log.storage, onCall), artifacts: cutOff(log.artifacts, onCall) }
      const failed = await restoreSegment({ ...cut, digest, segment }).then(
        () => false,
        () => true,
      )
      assert.deepEqual(await log.readLines(), before, `call ${at}`)
      const isLeft = (await log.storage.listSegments()).length > 0
      if (isLeft) await restoreSegment({ ...log, digest, segment })
      assert.equal(listEventTasks(log).length, 10, `call ${at}`)
      assert.deepEqual(await log.readLines(), before, `call ${at}`)
      await assertAudited(log.storage)
      if (!failed) break
      cuts += 1
    }
    assert.ok(cuts > 5)
  })

  it("is refused if it is damaged, and nothing changes", async () => {
    await using log = await createArchivedLog()
    const before = await log.readLines()
    await log.archive()
    const [segment = assert.fail()] = await log.storage.listSegments()
    const path = join(log.folder, "artifacts", segment.locator)
    const bytes = await readFile(path)
    for (const damaged of [
      bytes.subarray(0, -1),
      bytes.subarray(0, 100),
      Buffer.concat([bytes.subarray(0, 800), Buffer.from([1]), bytes.subarray(801)]),
    ]) {
      await writeFile(path, damaged)
      const restoring = restoreSegment({ ...log, digest, segment })
      await assert.rejects(restoring, (error: SafelightError) =>
        ["artifacts-unavailable", "storage-corrupt"].includes(error.code),
      )
      assert.deepEqual(await log.storage.listSegments(), [segment])
    }
    await writeFile(path, bytes)
    await log.reopen()
    assert.deepEqual(await log.readLines(), before)
  })
})

/** The tasks whose events are in the database. */
function listEventTasks({ folder }: ArchivedLog): readonly string[] {
  const database = new DatabaseSync(join(folder, "safelight.db"), { readOnly: true })
  try {
    const rows = database.prepare("select distinct task from events order by task").all()
    return rows.map(({ task }) => String(task))
  } finally {
    database.close()
  }
}

async function readSegment({ folder, storage }: ArchivedLog): Promise<string[]> {
  const [segment = assert.fail()] = await storage.listSegments()
  const bytes = await readFile(join(folder, "artifacts", segment.locator))
  assert.equal(bytes.length, segment.bytes)
  const text = zstdDecompressSync(bytes).toString()
  return text.split(/(?<=\n)/)
}

type OnCall = (call: () => Promise<unknown>) => Promise<unknown>

/** Every call of the port goes through `onCall`. */
function cutOff<Port extends Partial<ArchiveOptions["storage"] & ArtifactStorage & Storage>>(
  port: Port,
  onCall: OnCall,
): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== "function") return member
      return (...given: unknown[]) =>
        onCall(async () => (member as (...all: unknown[]) => unknown).apply(target, given))
    },
  })
}

async function fail(done: Promise<unknown> | undefined): Promise<never> {
  const made = await done
  if (typeof made === "object" && made !== null && "close" in made) {
    await (made as { close(): Promise<void> }).close()
  }
  throw new SafelightError({ code: "storage-unavailable", message: "the process was killed" })
}
