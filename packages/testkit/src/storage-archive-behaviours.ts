/** The contract of `ArchiveStorage`. Segments are made up: what reads them here remembers what was archived. */
import assert from "node:assert/strict"
import { SafelightError, type ArchivablePage, type Storage } from "@safelight/core"
import {
  appendAll,
  appendFinished,
  createSampleArchive,
  readEverything,
  toFinished,
  toSegment,
} from "./archive-samples.ts"
import type { Behaviours } from "./contract.ts"
import { submitSample } from "./sample-task.ts"
import { assertRejects, ENQUEUE, toInput, type StorageFixture } from "./storage-fixture.ts"

const ALL = { finishedBefore: Number.MAX_SAFE_INTEGER, after: "", below: "~", limit: 100 }

export const ARCHIVE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a task may be archived once it has ended and nothing of it is due, and no sooner": async ({
    storage,
  }) => {
    await appendFinished(storage, "done")
    await storage.append(submitSample({ id: "queued", queue: ENQUEUE }).append)
    await storage.append(submitSample({ id: "unfinished" }).append)
    const retained = toFinished("retained")
    await appendAll(storage, retained.slice(0, -1))
    const queue = { kind: "finish", retainAt: 70 } as const
    await storage.append({ ...(retained.at(-1) ?? assert.fail()).append, queue })
    const [first, ...rest] = toFinished("written")
    const inputs = [toInput("written", "request")]
    await storage.append({ ...(first ?? assert.fail()).append, inputs })
    await appendAll(storage, rest)
    assert.deepEqual(await listArchivable(storage, ALL), ["done"])
    await storage.eraseInputs("written")
    await storage.retain({ task: "retained", dueAt: null })
    assert.deepEqual(await listArchivable(storage, ALL), ["done", "retained", "written"])
    assert.deepEqual(await listArchivable(storage, { ...ALL, after: "done", below: "s" }), [
      "retained",
    ])
    const { finishedAt } = (await storage.readTask("done"))?.task ?? assert.fail()
    const before = { ...ALL, finishedBefore: finishedAt }
    assert.deepEqual(await listArchivable(storage, before), [])
  },

  "one segment is written at a time, and one that took too long is given up": async ({
    storage,
  }) => {
    assert.equal(await storage.beginSegment({ at: 100, withinMs: 100 }), 1)
    assert.equal(await storage.beginSegment({ at: 199, withinMs: 100 }), undefined)
    assert.deepEqual(await storage.listSegments(), [])
    await storage.keepSegment(toSegment(1, 100))
    assert.deepEqual(await storage.listSegments(), [toSegment(1, 100)])
    await assertRejects(storage.keepSegment(toSegment(1, 100)), "version-conflict")
    assert.equal(await storage.beginSegment({ at: 300, withinMs: 100 }), 2)
    assert.equal(await storage.beginSegment({ at: 400, withinMs: 100 }), 3)
    await assertRejects(storage.keepSegment(toSegment(2, 300)), "version-conflict")
    await storage.keepSegment(toSegment(3, 400))
    assert.deepEqual(await storage.listSegments(), [toSegment(1, 100), toSegment(3, 400)])
    assert.equal(await storage.dropSegment(1), true)
    assert.deepEqual(await storage.listSegments(), [toSegment(3, 400)])
    assert.equal(await storage.dropSegment(3), true)
    assert.equal(await storage.beginSegment({ at: 500, withinMs: 1 }), 4)
  },

  "of two processes that begin a segment together one does": async ({ storage }) => {
    const begun = await Promise.all(
      Array.from({ length: 8 }, () => storage.beginSegment({ at: 100, withinMs: 50 })),
    )
    assert.deepEqual(
      begun.filter((id) => id !== undefined),
      [1],
    )
  },

  "every read of an archived task gives what it gave before, also once the storage was opened anew":
    async (fixture) => {
      let { storage } = fixture
      for (const id of ["a", "b"]) await appendFinished(storage, id)
      const before = await readEverything(storage, ["a", "b"])
      const archive = createSampleArchive()
      storage.useArchive(archive)
      const part = await archive.add(storage, ["a", "b"])
      assert.deepEqual(await listArchivable(storage, ALL), [])
      assert.deepEqual(await readEverything(storage, ["a", "b"]), before)
      storage = await fixture.reopen()
      storage.useArchive(archive)
      assert.deepEqual(await readEverything(storage, ["a", "b"]), before)
      assert.equal(await storage.archiveTasks({ part, tasks: archive.namesOf(part) }), 0)
      assert.deepEqual(await readEverything(storage, ["a", "b"]), before)
    },

  "an archived task is read from its segment alone": async ({ storage }) => {
    await appendFinished(storage, "a")
    await appendFinished(storage, "b")
    const archive = createSampleArchive()
    await archive.add(storage, ["a"])
    for (const read of [
      () => storage.readTask("a"),
      () => storage.readEvents("a"),
      () => storage.scan({ after: "", limit: 9 }),
      () => storage.listAllTasks({ limit: 9 }),
    ]) {
      await assertRejects(read(), "storage-unavailable")
    }
    assert.equal((await storage.readTask("b"))?.task.id, "b")
    storage.useArchive(archive)
    archive.fail(new SafelightError({ code: "storage-corrupt", message: "it is gone" }))
    await assertRejects(storage.readTask("a"), "storage-corrupt")
    assert.equal((await storage.readTask("b"))?.task.id, "b")
  },

  "a segment that holds another task, or an earlier state, in its place is found": async ({
    storage,
  }) => {
    const samples = await appendFinished(storage, "a")
    const archive = createSampleArchive()
    storage.useArchive(archive)
    const part = await archive.add(storage, ["a"])
    const events = samples.flatMap(({ append }) => append.events)
    for (const streams of [
      [],
      [{ task: "b", events }],
      [{ task: "a", events: events.slice(0, -1) }],
    ]) {
      archive.exchange(part, streams)
      await assertRejects(storage.readTask("a"), "storage-corrupt")
      await assertRejects(storage.readEvents("a"), "storage-corrupt")
      assert.equal(await storage.restoreTasks(part), 0)
    }
  },

  "a task that changed since it was read is not archived": async ({ storage }) => {
    const samples = toFinished("a")
    await appendAll(storage, samples.slice(0, -1))
    const archive = createSampleArchive()
    storage.useArchive(archive)
    const part = await archive.write(storage, ["a"])
    await appendAll(storage, samples.slice(-1))
    assert.equal(await storage.archiveTasks({ part, tasks: archive.namesOf(part) }), 0)
    assert.equal((await storage.readEvents("a")).length, 3)
    assert.deepEqual(await listArchivable(storage, ALL), ["a"])
  },

  "a row of an archived task is not replaced": async ({ storage }) => {
    await appendFinished(storage, "a")
    const archive = createSampleArchive()
    storage.useArchive(archive)
    await archive.add(storage, ["a"])
    const before = await readEverything(storage, ["a"])
    const row = (await storage.scan({ after: "", limit: 1 })).streams[0]?.row ?? assert.fail()
    await storage.replaceTaskRow({ ...row, model: "model-b", snapshot: "{}" })
    assert.deepEqual(await readEverything(storage, ["a"]), before)
  },

  "restored tasks are as they were before, and may be archived again": async ({ storage }) => {
    for (const id of ["a", "b"]) await appendFinished(storage, id)
    const before = await readEverything(storage, ["a", "b"])
    const archive = createSampleArchive()
    storage.useArchive(archive)
    const part = await archive.add(storage, ["a", "b"])
    const countTasks = async () => (await storage.listSegments()).map(({ taskCount }) => taskCount)
    assert.deepEqual(await countTasks(), [2])
    assert.equal(await storage.dropSegment(part.segment), false)
    assert.equal(await storage.restoreTasks(part), 2)
    assert.deepEqual(await countTasks(), [0])
    assert.equal(await storage.restoreTasks(part), 0)
    assert.deepEqual(await countTasks(), [0])
    assert.equal(await storage.dropSegment(part.segment), true)
    assert.equal(await storage.archiveTasks({ part, tasks: archive.namesOf(part) }), 0)
    assert.deepEqual(await readEverything(storage, ["a", "b"]), before)
    assert.deepEqual(await listArchivable(storage, ALL), ["a", "b"])
    await archive.add(storage, ["a", "b"])
    assert.deepEqual(await readEverything(storage, ["a", "b"]), before)
  },

  "events that were archived and restored get no second leaf": async ({ storage }) => {
    await storage.openTree()
    await appendFinished(storage, "a")
    const unsequenced = await storage.listUnsequenced(10)
    const from = (await storage.readTree()) ?? assert.fail()
    const to = { size: unsequenced.events.length, root: "ab".repeat(32) }
    await storage.extendTree({ from, to, unsequenced, tiles: [] })
    const leaves = await storage.readLeaves("a")
    assert.deepEqual(
      leaves.map(({ index }) => index),
      [0, 1, 2],
    )
    const archive = createSampleArchive()
    storage.useArchive(archive)
    const part = await archive.add(storage, ["a"])
    assert.deepEqual(await storage.readLeaves("a"), leaves)
    await storage.restoreTasks(part)
    assert.deepEqual(await storage.readLeaves("a"), leaves)
    await storage.append(submitSample({ id: "b" }).append)
    const { events } = await storage.listUnsequenced(10)
    assert.deepEqual(
      events.map(({ task }) => task),
      ["b"],
    )
  },
}

/** All pages; those that look at one task alone have the same. */
async function listArchivable(storage: Storage, request: typeof ALL): Promise<readonly string[]> {
  const [wide, narrow]: string[][] = [[], []]
  for (const [limit, all] of [
    [request.limit, wide],
    [1, narrow],
  ] as const) {
    for (let after: string | null = request.after; after !== null;) {
      const page: ArchivablePage = await storage.listArchivable({ ...request, after, limit })
      all?.push(...page.tasks)
      after = page.next
    }
  }
  assert.deepEqual(narrow, wide)
  return wide ?? []
}
