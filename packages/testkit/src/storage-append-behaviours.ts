/** The contract of `Storage`: appending and reading. */
import assert from "node:assert/strict"
import { isTaskId, toArtifacts, type Append, type Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { peek } from "./queue-samples.ts"
import {
  acceptSample,
  advanceSample,
  dispatchSample,
  submitSample,
  succeedEveryKind,
  succeedSample,
} from "./sample-task.ts"
import {
  assertRejects,
  assertStored,
  ENQUEUE,
  FINISH,
  idsOf,
  MODELS,
  toIds,
  toInput,
  type StorageFixture,
} from "./storage-fixture.ts"

/** UUIDs, and what a database that keeps their bytes might take for one, or for a hash. */
const IDS = [
  "01a206c5-3479-7000-a511-8b3d58a6d830",
  "01a206c5-3479-7000-a511-8b3d58a6d82f",
  "01a206c5-347a-7000-8000-000000000000",
  "01A206C5-3479-7000-A511-8B3D58A6D830",
  "01a206c534797000a5118b3d58a6d830",
  "01a206c5-3479-7000-a511-8b3d58a6d83",
  "x1a206c5-3479-7000-a511-8b3d58a6d830",
  "01a206c5x3479-7000-a511-8b3d58a6d830",
  "-".repeat(36),
  "0".repeat(32),
  "a".repeat(16),
  "é".repeat(8),
  "a".repeat(17),
  "ab".repeat(32),
  "AB".repeat(32),
  "a".repeat(32),
  "é".repeat(16),
  "ÿ",
  "\\x61",
  "a",
]

export const APPEND_BEHAVIOURS: Behaviours<StorageFixture> = {
  "an append is stored whole: events, row, artifacts, inputs, place": async ({ storage }) => {
    const inputs = [toInput("t", "request"), toInput("t", "provider:1")]
    const submitted = submitSample({ id: "t", inputs, queue: ENQUEUE })
    await storage.append(submitted.append)
    await assertStored(storage, submitted)
    for (const input of inputs) assert.deepEqual(await storage.readInput(input), input)
    assert.deepEqual(await peek(storage), { dueAt: 1_000, startTag: null, takeable: 1 })

    const commands = [dispatchSample(), succeedSample(3)]
    const succeeded = advanceSample(submitted.head, commands, { queue: FINISH })
    await storage.append(succeeded.append)
    await assertStored(storage, succeeded)
    assert.equal((await storage.readEvents("t")).length, 3)
    assert.deepEqual(await peek(storage), { dueAt: null, startTag: null, takeable: 0 })
    assert.deepEqual(await storage.findRetained({ now: 7_000, limit: 9 }), [succeeded.head])
  },

  "an unknown task has nothing": async ({ storage }) => {
    for (const id of ["", "unknown", "\0", "a\0b", "\ud800"]) {
      assert.equal(await storage.readTask(id), undefined)
      assert.deepEqual(await storage.readEvents(id), [])
      assert.equal(await storage.readInput({ task: id, name: "request" }), undefined)
    }
  },

  "a task may have any id, and no two ids are one": async ({ storage }) => {
    const samples = IDS.map((id) => submitSample({ id, inputs: [toInput(id, id.slice(0, 9))] }))
    await Promise.all(samples.map(({ append }) => storage.append(append)))
    for (const { append, head } of samples) {
      const { task } = append
      assert.deepEqual(await storage.readTask(task), head)
      assert.deepEqual(await storage.readEvents(task), append.events)
      assert.equal((await storage.readInput({ task, name: task.slice(0, 9) }))?.task, task)
    }
    const seen: string[] = []
    for (let after: string | null = ""; after !== null;) {
      const page = await storage.scan({ after, limit: 5 })
      seen.push(...page.streams.map(({ id }) => id))
      after = page.next
    }
    assert.deepEqual(seen.toSorted(), IDS.toSorted())
    const uuids = seen.filter(isTaskId)
    assert.deepEqual(uuids, uuids.toSorted(), "UUIDs are in their order")
  },

  "of two appends with one expected version one is refused, leaving nothing": async (fixture) => {
    const { storage } = fixture
    const submitted = submitSample({ id: "t", queue: ENQUEUE })
    await storage.append(submitted.append)
    const [winner, loser] = ["one", "two"].map((name) =>
      advanceSample(submitted.head, [dispatchSample(), succeedSample(name.length)], {
        now: name === "one" ? 1_100 : 1_200,
        inputs: [toInput("t", name)],
        queue: { kind: "finish", retainAt: name === "one" ? 8_000 : 2_000 },
      }),
    )
    assert.ok(winner && loser)
    const appended = storage.append(winner.append)
    await assertRejects(storage.append(loser.append), "version-conflict")
    await appended
    await assertStored(storage, winner)
    assert.equal(await storage.readInput({ task: "t", name: "two" }), undefined)
    assert.deepEqual(await storage.findRetained({ now: 7_999, limit: 9 }), [])
    await assertRejects(storage.append(loser.append), "version-conflict")
  },

  "an append is refused where the task is behind it, or is not there": async ({ storage }) => {
    const submitted = submitSample({ id: "t" })
    const dispatched = advanceSample(submitted.head, [dispatchSample()])
    await assertRejects(storage.append(dispatched.append), "version-conflict")
    assert.equal(await storage.readTask("t"), undefined)
    assert.deepEqual(await storage.readEvents("t"), [])
    await storage.append(submitted.append)
    const later = advanceSample(dispatched.head, [acceptSample(1)])
    await assertRejects(storage.append(later.append), "version-conflict")
    const another = submitSample({ id: "t", submitted: { account: "another" } })
    await assertRejects(storage.append(another.append), "version-conflict")
    await assertStored(storage, submitted)
  },

  "an append is refused where another event has the version that it follows": async (fixture) => {
    const { storage } = fixture
    const submitted = submitSample({ id: "t" })
    await storage.append(submitted.append)
    const [stored, lost] = [1_100, 1_200].map((now) =>
      advanceSample(submitted.head, [dispatchSample()], { now }),
    )
    assert.ok(stored && lost)
    await storage.append(stored.append)
    // As of a database that went back in time and was written to again.
    const later = advanceSample(lost.head, [acceptSample(1)])
    await assertRejects(storage.append(later.append), "version-conflict")
    await assertStored(storage, stored)
  },

  "the same append twice resolves twice and is stored once": async ({ storage }) => {
    const submitted = submitSample({ id: "t", inputs: [toInput("t", "request")] })
    await Promise.all([storage.append(submitted.append), storage.append(submitted.append)])
    await storage.append(submitted.append)
    await assertStored(storage, submitted)
    const done = advanceSample(submitted.head, [dispatchSample(), succeedSample()])
    await Promise.all([storage.append(done.append), storage.append(done.append)])
    // Also when the task has moved on since.
    await storage.append(submitted.append)
    await assertStored(storage, done)
  },

  "64 appends at once to as many tasks are all stored": async ({ storage }) => {
    const samples = toIds(64).map((id) => submitSample({ id, inputs: [toInput(id, "request")] }))
    await Promise.all(samples.map(({ append }) => storage.append(append)))
    for (const sample of samples) await assertStored(storage, sample)
  },

  "a refused append harms none that waits with it": async ({ storage }) => {
    const taken = submitSample({ id: "taken" })
    await storage.append(taken.append)
    const refused = submitSample({ id: "taken", now: 1_001 })
    const samples = toIds(20).map((id) => submitSample({ id }))
    const appends = samples.map(({ append }) => append)
    appends.splice(10, 0, refused.append)
    const results = await Promise.allSettled(appends.map((append) => storage.append(append)))
    assert.deepEqual(
      results.flatMap(({ status }, index) => (status === "rejected" ? [index] : [])),
      [10],
    )
    for (const sample of [taken, ...samples]) await assertStored(storage, sample)
  },

  "an append that can't be stored rejects alone, leaving nothing": async ({ storage }) => {
    const samples = toIds(20).map((id) => submitSample({ id }))
    const faulty = [5, 6, 12].map((index) => toFaultyAppend(`faulty-${index}`))
    const appends = samples.map(({ append }) => append)
    appends.splice(5, 0, ...faulty)
    const results = await Promise.allSettled(appends.map((append) => storage.append(append)))
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 20)
    for (const sample of samples) await assertStored(storage, sample)
    for (const append of faulty) {
      await assertRejects(storage.append(append), "storage-unavailable")
      assert.equal(await storage.readTask(append.task), undefined)
      assert.deepEqual(await storage.readEvents(append.task), [])
    }
  },

  "appends to one task that wait together are stored in their order": async ({ storage }) => {
    const submitted = submitSample({ id: "t" })
    const dispatched = advanceSample(submitted.head, [dispatchSample()])
    const accepted = advanceSample(dispatched.head, [acceptSample({ id: "x" })])
    const samples = [submitted, dispatched, accepted]
    await Promise.all(samples.map(({ append }) => storage.append(append)))
    await assertStored(storage, accepted)
    const versions = (await storage.readEvents("t")).map(({ version }) => version)
    assert.deepEqual(versions, [1, 2, 3])
  },

  "a task's events are read whole, or a page of them": async ({ storage }) => {
    let sample = submitSample({ id: "t" })
    await storage.append(sample.append)
    for (let progress = 2; progress < 8; progress += 1) {
      sample = advanceSample(sample.head, toNextCommands(progress))
      await storage.append(sample.append)
    }
    const events = await storage.readEvents("t")
    assert.equal(events.length, sample.head.task.version)
    const read = (after: number, limit: number) => storage.readEvents("t", { after, limit })
    assert.deepEqual(await read(0, 2), events.slice(0, 2))
    assert.deepEqual(await read(2, 3), events.slice(2, 5))
    assert.deepEqual(await read(4, 100), events.slice(4))
    assert.deepEqual(await read(events.length, 100), [])
    assert.deepEqual(await storage.readEvents("other", { after: 0, limit: 1 }), [])
  },

  "a read sees every append that resolved before it": async ({ storage }) => {
    const lanes = toIds(16).map(async (id) => {
      let sample = submitSample({ id })
      for (let progress = 2; progress < 12; progress += 1) {
        await storage.append(sample.append)
        const [head, events] = [await storage.readTask(id), await storage.readEvents(id)]
        assert.deepEqual(head, sample.head)
        assert.equal(events.length, sample.head.task.version)
        sample = advanceSample(sample.head, toNextCommands(progress))
      }
    })
    await Promise.all(lanes)
  },

  "what was appended is there after a reopening": async (fixture) => {
    const samples = toIds(10).map((id) =>
      submitSample({ id, inputs: [toInput(id, "request")], queue: ENQUEUE }),
    )
    await Promise.all(samples.map(({ append }) => fixture.storage.append(append)))
    const reopened = await fixture.reopen()
    for (const sample of samples) await assertStored(reopened, sample)
    const request = { models: MODELS, now: 1_000, limit: 99, lease: "c" }
    const taken = idsOf(await reopened.take(request))
    assert.deepEqual(taken.toSorted(), toIds(10).toSorted())
  },

  "artifacts of every kind come back as they were, and so does what they used up": async (
    fixture,
  ) => {
    const submitted = submitSample({ id: "t" })
    await fixture.storage.append(submitted.append)
    const commands = [dispatchSample(), succeedEveryKind()]
    const succeeded = advanceSample(submitted.head, commands, { queue: FINISH })
    await fixture.storage.append(succeeded.append)
    const reopened = await fixture.reopen()
    await assertStored(reopened, succeeded)
    assert.equal((await reopened.readEvents("t")).at(-1)?.schema, 3)
    const { streams } = await reopened.scan({ after: "", limit: 9 })
    assert.deepEqual(streams[0]?.charge, succeeded.append.changes.charge)
  },

  "an artifact that is listed without its expiry comes back so": async ({ storage }) => {
    const submitted = submitSample({ id: "t" })
    await storage.append(submitted.append)
    const commands = [dispatchSample(), succeedSample(2, { hidesExpiry: true })]
    const succeeded = advanceSample(submitted.head, commands)
    await storage.append(succeeded.append)
    await assertStored(storage, succeeded)
    const head = await storage.readTask("t")
    assert.deepEqual(
      head &&
        toArtifacts(head.task).map(({ expiryHidden, expiresAt }) => [expiryHidden, expiresAt]),
      [
        [true, 5_000],
        [true, 5_000],
      ],
    )
  },

  "any text of up to 200 characters is a task id": async ({ storage }) => {
    const samples = HOSTILE_IDS.map((id) => submitSample({ id, inputs: [toInput(id, "request")] }))
    await Promise.all(samples.map(({ append }) => storage.append(append)))
    for (const sample of samples) await assertStored(storage, sample)
    assert.deepEqual(await scannedIds(storage), HOSTILE_IDS.toSorted(compareBytes))
  },
}

/** Paths, quotes, look-alikes and lengths; U+0000 and halves of a pair are no text to a database. */
const HOSTILE_IDS: readonly string[] = [
  ..."a|A|á|a\u0301|%|_|'|\"|;--|?|$1|:a|@a|..|/|\\|\n| | a|a |null|0|1|true|[]|{}".split("|"),
  ..."\u0001|\uffff|\u{1f600}|\u{10ffff}|ß|ss|\u200b|\ufeff".split("|"),
  "x".repeat(200),
  "y".repeat(199),
  "\u{1f600}".repeat(100),
]

function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

async function scannedIds(storage: Storage): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | null = ""; after !== null;) {
    const page = await storage.scan({ after, limit: 5 })
    ids.push(...page.streams.map(({ id }) => id))
    after = page.next
  }
  return ids
}

function toNextCommands(progress: number): Parameters<typeof advanceSample>[1] {
  if (progress === 2) return [dispatchSample(), acceptSample(null)]
  return [{ kind: "progress", attempt: 1, progress }]
}

/** An attempt ends twice: no database stores that. */
function toFaultyAppend(id: string): Append {
  const submitted = submitSample({ id, inputs: [toInput(id, "request")], queue: ENQUEUE })
  const [outcome] = advanceSample(submitted.head, [dispatchSample(), succeedSample()]).append
    .changes.outcomes
  assert.ok(outcome)
  const changes = { ...submitted.append.changes, outcomes: [outcome, outcome] }
  return { ...submitted.append, changes }
}
