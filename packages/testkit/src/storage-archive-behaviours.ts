/** The contract of `ArchiveStorage`. Segments are made up: what reads them here remembers what was archived. */
import assert from "node:assert/strict"
import {
  SafelightError,
  toArtifactRows,
  type ArchivedStream,
  type ArchivePart,
  type ArchiveReader,
  type ArchiveSegment,
  type Storage,
} from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import {
  advanceSample,
  dispatchSample,
  submitSample,
  succeedSample,
  type SampleAppend,
} from "./sample-task.ts"
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
    assert.deepEqual(await storage.listArchivable(ALL), ["done"])
    await storage.eraseInputs("written")
    await storage.retain({ task: "retained", dueAt: null })
    assert.deepEqual(await storage.listArchivable(ALL), ["done", "retained", "written"])
    assert.deepEqual(await storage.listArchivable({ ...ALL, limit: 1 }), ["done"])
    assert.deepEqual(await storage.listArchivable({ ...ALL, after: "done", below: "s" }), [
      "retained",
    ])
    const { finishedAt } = (await storage.readTask("done"))?.task ?? assert.fail()
    const before = { ...ALL, finishedBefore: finishedAt }
    assert.deepEqual(await storage.listArchivable(before), [])
  },

  "one segment is written at a time, and one that took too long is given up": async ({
    storage,
  }) => {
    assert.equal(await storage.beginSegment({ at: 100, since: 0 }), 1)
    assert.equal(await storage.beginSegment({ at: 200, since: 99 }), undefined)
    assert.deepEqual(await storage.listSegments(), [])
    await storage.keepSegment(toSegment(1, 100))
    assert.deepEqual(await storage.listSegments(), [toSegment(1, 100)])
    await assertRejects(storage.keepSegment(toSegment(1, 100)), "version-conflict")
    assert.equal(await storage.beginSegment({ at: 300, since: 299 }), 2)
    assert.equal(await storage.beginSegment({ at: 400, since: 300 }), 3)
    await assertRejects(storage.keepSegment(toSegment(2, 300)), "version-conflict")
    await storage.keepSegment(toSegment(3, 400))
    assert.deepEqual(await storage.listSegments(), [toSegment(1, 100), toSegment(3, 400)])
    await storage.dropSegment(1)
    assert.deepEqual(await storage.listSegments(), [toSegment(3, 400)])
    await storage.dropSegment(3)
    assert.equal(await storage.beginSegment({ at: 500, since: 499 }), 4)
  },

  "of two processes that begin a segment together one does": async ({ storage }) => {
    const begun = await Promise.all(
      Array.from({ length: 8 }, () => storage.beginSegment({ at: 100, since: 50 })),
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
      assert.deepEqual(await storage.listArchivable(ALL), [])
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
      () => storage.readArtifacts("a"),
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
      [{ task: "b", events, leaves: [0, 1, 2] }],
      [{ task: "a", events: events.slice(0, -1), leaves: [0, 1] }],
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
    assert.deepEqual(await storage.listArchivable(ALL), ["a"])
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
    assert.equal(await storage.restoreTasks(part), 2)
    assert.equal(await storage.restoreTasks(part), 0)
    await storage.dropSegment(part.segment)
    assert.deepEqual(await readEverything(storage, ["a", "b"]), before)
    assert.deepEqual(await storage.listArchivable(ALL), ["a", "b"])
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

interface SampleArchive extends ArchiveReader {
  /** Remembers the tasks as a part of a segment of their own, and archives them. */
  add(storage: Storage, tasks: readonly string[]): Promise<ArchivePart>
  /** The same, and archives none. */
  write(storage: Storage, tasks: readonly string[]): Promise<ArchivePart>
  namesOf(part: ArchivePart): readonly { readonly task: string; readonly hash: string }[]
  exchange(part: ArchivePart, streams: readonly ArchivedStream[]): void
  fail(error: SafelightError): void
}

function createSampleArchive(): SampleArchive {
  const parts = new Map<string, readonly ArchivedStream[]>()
  let failure: SafelightError | undefined

  const archive: SampleArchive = {
    async read({ bytes, offset, segment }) {
      if (failure !== undefined) throw failure
      return parts.get(toName({ segment: segment.id, offset, bytes })) ?? assert.fail()
    },
    async write(storage, tasks) {
      const streams = await Promise.all(
        tasks.map(async (task) => {
          const events = await storage.readEvents(task)
          return { task, events, leaves: events.map((_, place) => place) }
        }),
      )
      const id = (await storage.beginSegment({ at: 2, since: 1 })) ?? assert.fail()
      await storage.keepSegment(toSegment(id, 2))
      const part = { segment: id, offset: 2 ** 40, bytes: 77 }
      parts.set(toName(part), streams)
      return part
    },
    async add(storage, tasks) {
      const part = await archive.write(storage, tasks)
      const names = archive.namesOf(part)
      assert.equal(await storage.archiveTasks({ part, tasks: names }), tasks.length)
      return part
    },
    namesOf: (part) =>
      (parts.get(toName(part)) ?? []).map(({ events, task }) => ({
        task,
        hash: events.at(-1)?.hash ?? assert.fail(),
      })),
    exchange: (part, streams) => void parts.set(toName(part), streams),
    fail(error) {
      failure = error
    },
  }
  return archive
}

function toName({ bytes, offset, segment }: ArchivePart): string {
  return `${segment} ${offset} ${bytes}`
}

function toSegment(id: number, at: number): ArchiveSegment {
  const locator = `00/archive/segment/${id}`
  return { id, at, locator, bytes: 5_000, sha256: "cd".repeat(32), taskCount: 2, eventCount: 6 }
}

async function readEverything(storage: Storage, tasks: readonly string[]): Promise<unknown> {
  const account = "account"
  return {
    each: await Promise.all(
      tasks.map(async (task) => {
        const head = (await storage.readTask(task)) ?? assert.fail()
        const artifacts = await storage.readArtifacts(task)
        assert.deepEqual(artifacts, toArtifactRows(head.task))
        const events = await storage.readEvents(task)
        const page = await storage.readEvents(task, { after: 1, limit: 1 })
        assert.deepEqual(page, events.slice(1, 2))
        const past = await storage.readEvents(task, { after: events.length, limit: 1 })
        assert.deepEqual(past, [])
        return { head, artifacts, events }
      }),
    ),
    list: await storage.listTasks({ account, limit: 10 }),
    byStatus: await storage.listTasks({ account, status: "succeeded", limit: 10 }),
    all: await storage.listAllTasks({ limit: 10 }),
    scan: await storage.scan({ after: "", limit: 10 }),
    charges: await storage.listCharges({ account, from: 0, to: 2 ** 50, limit: 10 }),
    outcomes: await storage.groupOutcomes({ by: "account", from: 0, to: 2 ** 50, limit: 10 }),
    totals: await storage.scanTotals(),
  }
}

function toFinished(id: string): readonly SampleAppend[] {
  const submitted = submitSample({ id })
  const dispatched = advanceSample(submitted.head, [dispatchSample()])
  return [submitted, dispatched, advanceSample(dispatched.head, [succeedSample(2)])]
}

async function appendFinished(storage: Storage, id: string): Promise<readonly SampleAppend[]> {
  const samples = toFinished(id)
  await appendAll(storage, samples)
  return samples
}

async function appendAll(storage: Storage, samples: readonly SampleAppend[]): Promise<void> {
  for (const { append } of samples) await storage.append(append)
}
