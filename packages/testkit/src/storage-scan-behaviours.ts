/** The contract of `Storage`: scanning. */
import assert from "node:assert/strict"
import type { ScannedStream, Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import {
  acceptSample,
  advanceSample,
  dispatchSample,
  submitSample,
  succeedSample,
  type SampleAppend,
} from "./sample-task.ts"
import { toIds, type StorageFixture } from "./storage-fixture.ts"

export const SCAN_BEHAVIOURS: Behaviours<StorageFixture> = {
  "an empty storage is one empty page": async ({ storage }) => {
    assert.deepEqual(await storage.scan({ after: "", limit: 10 }), { streams: [], next: null })
  },

  "what is sealed of an event comes back to the byte, and nothing for one without it": async ({
    storage,
  }) => {
    const submitted = submitSample({ id: "t" })
    await storage.append(submitted.append)
    const accept = acceptSample({ "\0": "\0 💩 é" })
    const advanced = advanceSample(submitted.head, [dispatchSample(), accept])
    await storage.append(advanced.append)
    const events = [...submitted.append.events, ...advanced.append.events]
    const [first, ...rest] = events.map(({ sealed }) => sealed)
    assert.equal(first, null)
    assert.ok(rest.every((sealed) => typeof sealed === "string"))
    assert.deepEqual(await storage.readEvents("t"), events)
    const { streams } = await storage.scan({ after: "", limit: 9 })
    assert.deepEqual(streams[0]?.events, events)
  },

  "pages show every task once, by id, with all that is kept of it": async ({ storage }) => {
    const expected: ScannedStream[] = []
    for (const [index, id] of toIds(23).entries()) {
      const samples = await appendStream(storage, id, index % 3)
      const { task: row, charge } = samples.at(-1)?.append.changes ?? assert.fail()
      const events = samples.flatMap(({ append }) => append.events)
      assert.equal(charge === undefined, index % 3 === 0)
      const outcomes = samples.flatMap(({ append }) => append.changes.outcomes)
      assert.equal(outcomes.length, charge === undefined ? 0 : 1)
      expected.push({
        id,
        events,
        row,
        charge,
        outcomes,
        ready: undefined,
        retainedAt: undefined,
        hasInputs: false,
      })
    }
    expected.sort((left, right) => (left.id < right.id ? -1 : 1))
    for (const limit of [1, 5, 23, 24]) {
      assert.deepEqual(await scanAll(storage, limit), expected, `pages of ${limit}`)
    }
  },

  "a row takes the place of one of the same event, and of no other": async ({ storage }) => {
    const { append, head } = submitSample({ id: "t" })
    await storage.append(append)
    const row = { ...append.changes.task, snapshot: '{"id":"t","projection":0}', model: "model-b" }
    await storage.replaceTaskRow({ ...row, hash: "ab".repeat(32) })
    await storage.replaceTaskRow({ ...row, version: 2 })
    await storage.replaceTaskRow({ ...row, id: "unknown" })
    assert.deepEqual(
      (await scanAll(storage, 9)).map((each) => each.row),
      [append.changes.task],
    )
    for (let times = 0; times < 2; times += 1) {
      await storage.replaceTaskRow(row)
      assert.deepEqual(
        (await scanAll(storage, 9)).map((each) => each.row),
        [row],
      )
    }
    const next = advanceSample(head, [dispatchSample()]).append
    await storage.append(next)
    await storage.replaceTaskRow(row)
    const [stream] = await scanAll(storage, 9)
    const { snapshot, version } = next.changes.task
    assert.deepEqual([stream?.row?.snapshot, stream?.row?.version], [snapshot, version])
  },

  "a row that was replaced is read as it is now, by whoever had read it before": async ({
    storage,
  }) => {
    const { append } = submitSample({ id: "t" })
    await storage.append(append)
    assert.notEqual((await storage.readTask("t"))?.task.account, "other")
    const { task: row } = append.changes
    const snapshot = JSON.stringify({ ...JSON.parse(row.snapshot), account: "other" })
    await storage.replaceTaskRow({ ...row, snapshot })
    assert.equal((await storage.readTask("t"))?.task.account, "other")
  },

  "a page shows a task's place in the queue and with retention, and whether inputs are left":
    async ({ storage }) => {
      const { append, head } = submitSample({ id: "t" })
      const [input, queue] = [
        { task: "t", name: "request", salt: "00", body: "{}" },
        { kind: "enqueue", dueAt: 5, endBy: 9, lease: null, startTag: 1 } as const,
      ]
      await storage.append({ ...append, inputs: [input], queue })
      const { account, model } = append.changes.task
      const read = async () => {
        const [stream] = await scanAll(storage, 9)
        return [stream?.ready, stream?.retainedAt, stream?.hasInputs]
      }
      assert.deepEqual(await read(), [{ account, endBy: 9, model }, undefined, true])
      const failed = advanceSample(head, [{ kind: "fail", attempt: 0, code: "task_cancelled" }])
      await storage.append({ ...failed.append, queue: { kind: "finish", retainAt: 70 } })
      await storage.eraseInputs("t")
      assert.deepEqual(await read(), [undefined, 70, false])
    },

  "a task is put where it belongs with its row, and not if it has changed": async ({ storage }) => {
    const { append, head } = submitSample({ id: "t" })
    await storage.append(append)
    const { task: row } = append.changes
    const read = async () => {
      const [stream] = await scanAll(storage, 9)
      return [stream?.ready?.endBy, stream?.retainedAt]
    }
    assert.deepEqual(await read(), [undefined, undefined])
    for (let times = 0; times < 2; times += 1) {
      await storage.replaceTaskRow(row, { ready: { dueAt: 5, endBy: 9 }, retainAt: null })
      assert.deepEqual(await read(), [9, undefined])
    }
    const request = { lease: "a".repeat(32), models: [row.model], now: 5, limit: 9 }
    assert.deepEqual(
      (await storage.take(request)).map(({ task }) => task.id),
      ["t"],
    )
    const failed = advanceSample(head, [{ kind: "fail", attempt: 0, code: "task_cancelled" }])
    await storage.append({ ...failed.append, queue: { kind: "finish", retainAt: null } })
    await storage.replaceTaskRow(row, { ready: { dueAt: 5, endBy: 9 }, retainAt: null })
    assert.deepEqual(await read(), [undefined, undefined])
    const place = { ready: null, retainAt: 70 }
    await storage.replaceTaskRow(failed.append.changes.task, place)
    assert.deepEqual(await read(), [undefined, 70])
  },

  "a scan goes on behind a task that is not there": async ({ storage }) => {
    for (const id of ["a", "c", "e"]) await appendStream(storage, id, 0)
    const page = await storage.scan({ after: "b", limit: 1 })
    assert.deepEqual(
      page.streams.map(({ id }) => id),
      ["c"],
    )
    assert.equal(page.next, "c")
    assert.deepEqual(await storage.scan({ after: "e", limit: 5 }), { streams: [], next: null })
  },

  "a page is consistent while tasks change under it": async ({ storage }) => {
    const ids = toIds(8)
    const writing = Promise.all(ids.map((id) => appendStream(storage, id, 2)))
    for (let pages = 0; pages < 20; pages += 1) {
      const { streams } = await storage.scan({ after: "", limit: 100 })
      for (const { events, row, charge } of streams) {
        assert.equal(row?.version, events.length)
        assert.equal(row?.hash, events.at(-1)?.hash)
        const isDone = events.at(-1)?.type === "succeeded"
        assert.equal(charge?.images, isDone ? 2 : undefined)
      }
      await storage.check()
    }
    await writing
  },
}

async function scanAll(storage: Storage, limit: number): Promise<ScannedStream[]> {
  const streams: ScannedStream[] = []
  for (let after: string | null = ""; after !== null;) {
    const page = await storage.scan({ after, limit })
    assert.ok(page.streams.length <= limit)
    streams.push(...page.streams)
    after = page.next
  }
  return streams
}

/** A task that was submitted, and for `artifacts` > 0 dispatched and succeeded with as many. */
async function appendStream(
  storage: Storage,
  id: string,
  artifacts: number,
): Promise<readonly SampleAppend[]> {
  const submitted = submitSample({ id })
  await storage.append(submitted.append)
  if (artifacts === 0) return [submitted]
  const dispatched = advanceSample(submitted.head, [dispatchSample()])
  await storage.append(dispatched.append)
  const succeeded = advanceSample(dispatched.head, [succeedSample(artifacts)])
  await storage.append(succeeded.append)
  return [submitted, dispatched, succeeded]
}
