/**
 * The contract of `Storage`: admission under bounds, judged in the order of arrival.
 * Samples reserve 30,000 micro-units each unless they say otherwise.
 */
import assert from "node:assert/strict"
import type { Admission, Storage } from "@safelight/core"
import {
  admit,
  ADMITTED,
  bound,
  ELSEWHERE,
  FREE,
  OVER_BUDGET,
  TOO_MANY,
  toSample,
  toUse,
} from "./admission-samples.ts"
import type { Behaviours } from "./contract.ts"
import { peek } from "./queue-samples.ts"
import { advanceSample, dispatchSample, succeedSample, type SampleAppend } from "./sample-task.ts"
import {
  assertRejects,
  assertStored,
  FINISH,
  toIds,
  toInput,
  type StorageFixture,
} from "./storage-fixture.ts"

export const ADMISSION_BEHAVIOURS: Behaviours<StorageFixture> = {
  "what is admitted is stored whole, as an append is": async (fixture) => {
    const { storage } = fixture
    const sample = toSample("t", { inputs: [toInput("t", "request")] })
    assert.deepEqual(await storage.admit({ append: sample.append }), ADMITTED)
    await assertStored(storage, sample)
    assert.ok(await storage.readInput({ task: "t", name: "request" }))
    assert.deepEqual(await peek(storage), { dueAt: 1_000, startTag: null, takeable: 1 })
    await assertStored(await fixture.reopen(), sample)
  },

  "of 100 admissions at once a bound of 7 unfinished tasks admits 7": async ({ storage }) => {
    await bound(storage, { unfinishedTasks: 7 })
    await assertAdmitted(storage, 7, TOO_MANY)
  },

  "of 100 admissions at once a budget admits what it covers": async ({ storage }) => {
    await bound(storage, { budgetMicros: 7 * 30_000 + 29_999 })
    await assertAdmitted(storage, 7, OVER_BUDGET)
  },

  "what is admitted beside a refusal keeps its inputs": async ({ storage }) => {
    await bound(storage, { unfinishedTasks: 3 })
    const ids = toIds(6)
    const toAdmission = (id: string): Promise<Admission> =>
      admit(storage, toSample(id, { inputs: [toInput(id, "request"), toInput(id, "hops")] }))
    const admissions = await Promise.all(ids.map(toAdmission))
    assert.equal(admissions.filter(({ kind }) => kind === "admitted").length, 3)
    for (const [index, id] of ids.entries()) {
      const inputs = [toInput(id, "request"), toInput(id, "hops")]
      const expected = admissions[index]?.kind === "admitted" ? inputs : [undefined, undefined]
      const stored = await Promise.all(inputs.map((input) => storage.readInput(input)))
      assert.deepEqual(stored, expected)
    }
  },

  "a budget covers a task that uses it up, and none that passes it": async ({ storage }) => {
    await bound(storage, { budgetMicros: 100_000, unfinishedTasks: 2 })
    const reserve = (id: string, reservationMicros: number) =>
      admit(storage, toSample(id, { submitted: { reservationMicros } }))
    assert.deepEqual(await reserve("a", 100_001), OVER_BUDGET)
    assert.deepEqual(await reserve("b", 99_999), ADMITTED)
    assert.deepEqual(await reserve("c", 2), OVER_BUDGET)
    assert.deepEqual(await reserve("d", 1), ADMITTED)
    assert.deepEqual(await reserve("e", 0), TOO_MANY)
    // Both are passed: the budget is looked at first.
    assert.deepEqual(await reserve("f", 1), OVER_BUDGET)
  },

  "a finished task makes room, and its charge stays": async ({ storage }) => {
    await bound(storage, { budgetMicros: 90_000, unfinishedTasks: 1 })
    const first = toSample("first")
    assert.deepEqual(await admit(storage, first), ADMITTED)
    const second = toSample("second")
    assert.deepEqual(await admit(storage, second), TOO_MANY)
    await finish(storage, first, 60_000)
    assert.deepEqual(await admit(storage, second), ADMITTED)
    await finish(storage, second, 30_000)
    assert.deepEqual(await admit(storage, toSample("third")), OVER_BUDGET)
    assert.deepEqual(await admit(storage, toSample("free", FREE)), ADMITTED)
  },

  "a bound holds for its own account, and only as it is now": async ({ storage }) => {
    await bound(storage, { unfinishedTasks: 0 })
    const sample = toSample("t")
    assert.deepEqual(await admit(storage, sample), TOO_MANY)
    const elsewhere = toSample("elsewhere", ELSEWHERE)
    assert.deepEqual(await admit(storage, elsewhere), ADMITTED)
    await bound(storage, { unfinishedTasks: 1 })
    assert.deepEqual(await admit(storage, sample), ADMITTED)
    assert.deepEqual(await admit(storage, toSample("u")), TOO_MANY)
    await bound(storage, { unfinishedTasks: null })
    assert.deepEqual(await admit(storage, toSample("u")), ADMITTED)
  },

  "what was admitted is admitted again, and stored once": async ({ storage }) => {
    await bound(storage, { budgetMicros: 30_000, unfinishedTasks: 1 })
    const sample = toSample("t")
    const twice = [admit(storage, sample, toUse("k")), admit(storage, sample, toUse("k"))]
    assert.deepEqual(await Promise.all(twice), [ADMITTED, ADMITTED])
    assert.deepEqual(await admit(storage, sample), ADMITTED)
    await assertStored(storage, sample)
    const totals = { chargedMicros: 0, reservedMicros: 30_000, unfinishedTasks: 1 }
    assert.deepEqual(await storage.readTotals("account"), totals)
    // Also when the task has moved on since, and when its key is forgotten.
    const finished = await finish(storage, sample, 30_000)
    await storage.forgetIdempotency({ usedBefore: 9_000, limit: 9 })
    assert.deepEqual(await admit(storage, sample, toUse("k")), ADMITTED)
    await assertStored(storage, finished)
    assert.deepEqual(await storage.forgetIdempotency({ usedBefore: 9_000, limit: 9 }), 0)
  },

  "an admission rejects where its task id is taken, and its key stays unused": async (fixture) => {
    const { storage } = fixture
    await bound(storage, { unfinishedTasks: 2 })
    const taken = toSample("t")
    await admit(storage, taken)
    const another = toSample("t", { now: 1_001 })
    await assertRejects(admit(storage, another, toUse("k")), "version-conflict")
    await assertStored(storage, taken)
    assert.equal((await storage.readTotals("account")).unfinishedTasks, 1)
    assert.deepEqual(await admit(storage, toSample("u"), toUse("k")), ADMITTED)
  },

  "an admission that is stopped harms none that waits with it": async ({ storage }) => {
    await bound(storage, { unfinishedTasks: 0 })
    const taken = toSample("taken", ELSEWHERE)
    await admit(storage, taken, toUse("k"))
    const samples = toIds(20).map((id) => toSample(id, ELSEWHERE))
    const [refused, known] = [toSample("refused"), toSample("known", ELSEWHERE)]
    const stopped = [admit(storage, refused), admit(storage, known, toUse("k"))]
    const admissions = await Promise.all(samples.map((sample) => admit(storage, sample)))
    assert.ok(admissions.every(({ kind }) => kind === "admitted"))
    assert.deepEqual(
      (await Promise.all(stopped)).map(({ kind }) => kind),
      ["refused", "known"],
    )
    for (const sample of [taken, ...samples]) await assertStored(storage, sample)
    for (const id of ["refused", "known"]) assert.equal(await storage.readTask(id), undefined)
  },

  "an admission that can't be stored rejects alone, leaving nothing": async ({ storage }) => {
    await bound(storage, { unfinishedTasks: 20 })
    const faulty = toSample("faulty")
    const [outcome] = advanceSample(faulty.head, [dispatchSample(), succeedSample()]).append.changes
      .outcomes
    assert.ok(outcome)
    const changes = { ...faulty.append.changes, outcomes: [outcome, outcome] }
    const append = { ...faulty.append, changes }
    const failed = storage.admit({ append, idempotency: toUse("k") })
    const samples = toIds(20).map((id) => toSample(id))
    const admitted = Promise.all(samples.map((sample) => admit(storage, sample)))
    await assertRejects(failed, "storage-unavailable")
    assert.deepEqual(
      await admitted,
      Array.from({ length: 20 }, () => ADMITTED),
    )
    assert.equal(await storage.readTask("faulty"), undefined)
    assert.equal((await storage.readTotals("account")).unfinishedTasks, 20)
    await bound(storage, { unfinishedTasks: null })
    assert.deepEqual(await admit(storage, toSample("u"), toUse("k")), ADMITTED)
  },
}

/** Hands in 100 admissions at once and asserts that `count` are stored, the others nowhere. */
async function assertAdmitted(storage: Storage, count: number, refusal: Admission): Promise<void> {
  const samples = toIds(100).map((id) => toSample(id))
  const admissions = await Promise.all(
    samples.map((sample) => admit(storage, sample, toUse(sample.append.task))),
  )
  const admitted = samples.filter((_, index) => admissions[index]?.kind === "admitted")
  assert.equal(admitted.length, count)
  const refused = admissions.filter(({ kind }) => kind !== "admitted")
  assert.deepEqual(
    refused,
    Array.from({ length: 100 - count }, () => refusal),
  )
  const { streams } = await storage.scan({ after: "", limit: 101 })
  assert.equal(streams.length, count)
  for (const sample of admitted) await assertStored(storage, sample)
  assert.deepEqual(await storage.readTotals("account"), {
    chargedMicros: 0,
    reservedMicros: count * 30_000,
    unfinishedTasks: count,
  })
  assert.equal(await storage.forgetIdempotency({ usedBefore: 9_000, limit: 200 }), count)
}

async function finish(
  storage: Storage,
  { head }: SampleAppend,
  chargeMicros: number,
): Promise<SampleAppend> {
  const commands = [dispatchSample(), succeedSample(1, { chargeMicros })]
  const finished = advanceSample(head, commands, { queue: FINISH })
  await storage.append(finished.append)
  return finished
}
