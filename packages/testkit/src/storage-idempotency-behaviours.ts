/** The contract of `Storage`: idempotency keys. */
import assert from "node:assert/strict"
import {
  admit,
  ADMITTED,
  bound,
  ELSEWHERE,
  OVER_BUDGET,
  toKnown,
  toSample,
  toUse,
} from "./admission-samples.ts"
import type { Behaviours } from "./contract.ts"
import { assertStored, toIds, toInput, type StorageFixture } from "./storage-fixture.ts"

export const IDEMPOTENCY_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a key stands for the first task it was used with, in its account": async (fixture) => {
    const [first, second] = [toSample("first"), toSample("second")]
    const use = toUse("key")
    assert.deepEqual(await admit(fixture.storage, first, use), ADMITTED)
    const storage = await fixture.reopen()
    const another = { ...use, fingerprint: "cd".repeat(32), usedAt: 9_000 }
    assert.deepEqual(await admit(storage, second, another), toKnown("first"))
    assert.equal(await storage.readTask("second"), undefined)
    assert.deepEqual(await storage.readEvents("second"), [])
    assert.deepEqual(await admit(storage, second, toUse("KEY")), ADMITTED)
    const elsewhere = toSample("elsewhere", ELSEWHERE)
    assert.deepEqual(await admit(storage, elsewhere, use), ADMITTED)
    for (const sample of [first, second, elsewhere]) await assertStored(storage, sample)
  },

  "a key is found in its account, until it is forgotten": async ({ storage }) => {
    const use = toUse("key")
    const { account } = toSample("first").append.changes.task
    const other = toSample("other", ELSEWHERE).append.changes.task.account
    assert.equal(await storage.findIdempotency({ account, key: "key" }), undefined)
    await admit(storage, toSample("first"), use)
    const { fingerprint } = use
    const found = await storage.findIdempotency({ account, key: "key" })
    assert.deepEqual(found, { task: "first", fingerprint })
    assert.equal(await storage.findIdempotency({ account: other, key: "key" }), undefined)
    assert.equal(await storage.findIdempotency({ account, key: "KEY" }), undefined)
    await storage.eraseInputs("first")
    assert.equal(await storage.findIdempotency({ account, key: "key" }), undefined)
  },

  "a key that is used 50 times at once gives one task": async ({ storage }) => {
    const samples = toIds(50).map((id) => toSample(id))
    const admissions = await Promise.all(
      samples.map((sample) => admit(storage, sample, toUse("k"))),
    )
    const winner = samples[admissions.findIndex(({ kind }) => kind === "admitted")]
    assert.ok(winner)
    const { task } = winner.append
    const expected = samples.map((sample) => (sample === winner ? ADMITTED : toKnown(task)))
    assert.deepEqual(admissions, expected)
    const { streams } = await storage.scan({ after: "", limit: 100 })
    assert.deepEqual(
      streams.map(({ id }) => id),
      [task],
    )
  },

  "a replay ignores bounds, and a refusal leaves its key unused": async ({ storage }) => {
    await bound(storage, { budgetMicros: 30_000, unfinishedTasks: 1 })
    await admit(storage, toSample("first"), toUse("one"))
    assert.deepEqual(await admit(storage, toSample("again"), toUse("one")), toKnown("first"))
    const second = toSample("second")
    assert.deepEqual(await admit(storage, second, toUse("two")), OVER_BUDGET)
    await bound(storage, { budgetMicros: null, unfinishedTasks: null })
    assert.deepEqual(await admit(storage, second, toUse("two")), ADMITTED)
  },

  "keys are forgotten oldest first, so many at a time": async ({ storage }) => {
    for (const usedAt of [400, 100, 300, 200]) {
      await admit(storage, toSample(`t${usedAt}`), toUse(`k${usedAt}`, usedAt))
    }
    assert.equal(await storage.forgetIdempotency({ usedBefore: 100, limit: 9 }), 0)
    assert.equal(await storage.forgetIdempotency({ usedBefore: 400, limit: 2 }), 2)
    const isKnown = async (usedAt: number) => {
      const admission = await admit(storage, toSample(`again${usedAt}`), toUse(`k${usedAt}`))
      return admission.kind === "known"
    }
    assert.deepEqual(await Promise.all([100, 200, 300, 400].map(isKnown)), [
      false,
      false,
      true,
      true,
    ])
    assert.equal(await storage.forgetIdempotency({ usedBefore: 400, limit: 9 }), 1)
    for (const usedAt of [100, 200, 300, 400]) assert.ok(await storage.readTask(`t${usedAt}`))
  },

  "a task's key outlives its inputs where it is to be kept": async ({ storage }) => {
    const sample = toSample("t", { inputs: [toInput("t", "request")] })
    await admit(storage, sample, toUse("mine"))
    assert.equal(await storage.eraseInputs("t", { keepsNames: true }), true)
    assert.equal(await storage.readInput({ task: "t", name: "request" }), undefined)
    assert.equal((await admit(storage, toSample("v"), toUse("mine"))).kind, "known")
  },

  "a task's key is erased with its inputs": async ({ storage }) => {
    const sample = toSample("t", { inputs: [toInput("t", "request")] })
    await admit(storage, sample, toUse("mine"))
    await admit(storage, toSample("u"), toUse("other"))
    assert.equal(await storage.eraseInputs("t"), true)
    assert.equal((await admit(storage, toSample("v"), toUse("mine"))).kind, "admitted")
    assert.equal((await admit(storage, toSample("w"), toUse("other"))).kind, "known")
    // A task without inputs may still have a key.
    assert.equal(await storage.eraseInputs("u", { keepsNames: true }), false)
    assert.equal(await storage.eraseInputs("u"), true)
    assert.equal(await storage.eraseInputs("u"), false)
    assert.equal((await admit(storage, toSample("w"), toUse("other"))).kind, "admitted")
    await assertStored(storage, sample)
  },
}
