/**
 * The contract of `AccountStorage`: totals and charges. Samples reserve 30,000
 * micro-units, and succeed for as much an image.
 */
import assert from "node:assert/strict"
import type { AccountTotals, ChargeSum, Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import {
  advanceSample,
  dispatchSample,
  submitSample,
  succeedEveryKind,
  succeedSample,
  type SampleAppend,
  type SampleSuccess,
} from "./sample-task.ts"
import { ENQUEUE, FINISH, toIds, type StorageFixture } from "./storage-fixture.ts"

const NOTHING: AccountTotals = { chargedMicros: 0, reservedMicros: 0, unfinishedTasks: 0 }

export const TOTALS_BEHAVIOURS: Behaviours<StorageFixture> = {
  "an unknown account has totals of zero, none kept, and no charges": async ({ storage }) => {
    await succeed(storage, await submit(storage, { id: "t", account: "other" }))
    assert.deepEqual(await storage.readTotals("account"), NOTHING)
    assert.deepEqual(await storage.scanTotals(), [])
    assert.deepEqual(await storage.sumCharges({ account: "account", from: 0, to: 9_000 }), [])
  },

  "totals are counted where none are kept": async ({ storage }) => {
    const totals = await runThroughLife(storage)
    assert.deepEqual(totals.at(-1), {
      chargedMicros: 90_000,
      reservedMicros: 0,
      unfinishedTasks: 0,
    })
    assert.deepEqual(await storage.scanTotals(), [])
  },

  "kept totals say the same at every step, also after a reopening": async (fixture) => {
    const { storage } = fixture
    const settings = { unfinishedTasks: 10 }
    await storage.setAccount({ id: "account", now: 500, settings })
    await storage.setAccount({ id: "twin", now: 500, settings: { budgetMicros: 1 } })
    const kept = await runThroughLife(storage)
    const counted = await runThroughLife(storage, "unbounded")
    assert.deepEqual(kept, counted)
    const totals = { chargedMicros: 90_000, reservedMicros: 0, unfinishedTasks: 0 }
    const expected = [
      { account: "account", kept: totals, counted: totals },
      { account: "twin", kept: NOTHING, counted: NOTHING },
    ]
    assert.deepEqual(await storage.scanTotals(), expected)
    assert.deepEqual(await (await fixture.reopen()).scanTotals(), expected)
  },

  "totals are counted with the first bound, and kept while one is left": async ({ storage }) => {
    await succeed(storage, await submit(storage, { id: "done" }))
    const waiting = await submit(storage, { id: "waiting" })
    await submit(storage, { id: "other", account: "other" })
    const totals = { chargedMicros: 30_000, reservedMicros: 30_000, unfinishedTasks: 1 }
    const isKept = async (settings: Parameters<Storage["setAccount"]>[0]["settings"]) => {
      await storage.setAccount({ id: "account", now: 500, settings })
      assert.deepEqual(await storage.readTotals("account"), totals)
      const [row] = await storage.scanTotals()
      if (row !== undefined) {
        assert.deepEqual(row, { account: "account", kept: totals, counted: totals })
      }
      return row !== undefined
    }
    assert.equal(await isKept({ signsContentUrls: true }), false)
    assert.equal(await isKept({ budgetMicros: 0 }), true)
    assert.equal(await isKept({ unfinishedTasks: 1, retentionMs: 1_000 }), true)
    assert.equal(await isKept({ budgetMicros: null }), true)
    assert.equal(await isKept({ unfinishedTasks: null }), false)
    await succeed(storage, waiting)
    const later = { chargedMicros: 60_000, reservedMicros: 0, unfinishedTasks: 0 }
    await storage.setAccount({ id: "account", now: 500, settings: { budgetMicros: 5 } })
    assert.deepEqual(await storage.scanTotals(), [
      { account: "account", kept: later, counted: later },
    ])
  },

  "bounds that come and go while tasks do lose none of them": async ({ storage }) => {
    const lanes = toIds(24).map(async (id, index) => {
      const submitted = await submit(storage, { id })
      if (index % 3 === 0) await succeed(storage, submitted, { chargeMicros: index })
    })
    for (let turn = 0; turn < 12; turn += 1) {
      const settings = { budgetMicros: turn % 2 === 0 ? 1 : null }
      await storage.setAccount({ id: "account", now: 500, settings })
      for (const { kept, counted } of await storage.scanTotals()) assert.deepEqual(kept, counted)
    }
    await Promise.all(lanes)
    await storage.setAccount({ id: "account", now: 500, settings: { unfinishedTasks: 9 } })
    const totals = { chargedMicros: 84, reservedMicros: 16 * 30_000, unfinishedTasks: 16 }
    assert.deepEqual(await storage.scanTotals(), [
      { account: "account", kept: totals, counted: totals },
    ])
  },

  "an append that loses its race adds nothing to the totals": async ({ storage }) => {
    await storage.setAccount({ id: "account", now: 500, settings: { unfinishedTasks: 9 } })
    const submitted = await submit(storage, { id: "t" })
    await storage.append(submitted.append)
    const ends = [1, 2, 3].map((chargeMicros) => succeed(storage, submitted, { chargeMicros }))
    const results = await Promise.allSettled(ends)
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1)
    const [row] = await storage.scanTotals()
    assert.deepEqual(row?.kept, row?.counted)
    assert.deepEqual([row?.kept.unfinishedTasks, row?.kept.reservedMicros], [0, 0])
    const charges = await storage.sumCharges({ account: "account", from: 0, to: 9_000 })
    assert.deepEqual([charges[0]?.tasks, charges[0]?.chargeMicros], [1, row?.kept.chargedMicros])
  },

  "charges add up by model and price version": async ({ storage }) => {
    for (const [index, id] of toIds(12).entries()) {
      const model = index % 2 === 0 ? "model-b" : "model-a"
      const priceVersion = index % 3 === 0 ? "2" : "1"
      const submitted = await submit(storage, { id, model, priceVersion })
      await succeed(storage, submitted, { chargeMicros: 10 ** (index % 4) })
    }
    const sums = await storage.sumCharges({ account: "account", from: 0, to: 9_000 })
    assert.deepEqual(sums, [
      toSum({ model: "model-a", priceVersion: "1", tasks: 4, chargeMicros: 2_020 }),
      toSum({ model: "model-a", priceVersion: "2", tasks: 2, chargeMicros: 1_010 }),
      toSum({ model: "model-b", priceVersion: "1", tasks: 4, chargeMicros: 202 }),
      toSum({ model: "model-b", priceVersion: "2", tasks: 2, chargeMicros: 101 }),
    ])
  },

  "a charge falls into the period in which its task finished": async ({ storage }) => {
    for (const now of [1_999, 2_000, 2_999, 3_000]) {
      const submitted = await submit(storage, { id: `t${now}` })
      await succeed(storage, submitted, { chargeMicros: now }, now)
    }
    const charged = async (from: number, to: number) => {
      const sums = await storage.sumCharges({ account: "account", from, to })
      return sums.map(({ chargeMicros }) => chargeMicros)
    }
    assert.deepEqual(await charged(2_000, 3_000), [4_999])
    assert.deepEqual(await charged(2_001, 2_999), [])
    assert.deepEqual(await charged(0, Number.MAX_SAFE_INTEGER), [9_998])
    assert.deepEqual(await charged(3_000, 2_000), [])
  },

  "a charge says what was used, input as it is billed": async ({ storage }) => {
    const usage = { images: 0, inputVideosMs: [1_000, 2_500], outputVideoMs: 6_040 }
    for (const id of ["a", "b"]) {
      const success = { chargeMicros: 125_400, usage }
      await succeed(storage, await submit(storage, { id }), success)
    }
    // The main input counts as 4 s.
    assert.deepEqual(await storage.sumCharges({ account: "account", from: 0, to: 9_000 }), [
      toSum({
        tasks: 2,
        images: 0,
        outputVideoMs: 12_080,
        billedInputMs: 13_000,
        chargeMicros: 250_800,
      }),
    ])
  },

  "a charge says how much sound, how many characters and tokens were used": async ({ storage }) => {
    for (const id of ["a", "b"]) {
      const { head } = await submit(storage, { id })
      const commands = [dispatchSample(), succeedEveryKind()]
      await storage.append(advanceSample(head, commands, { queue: FINISH }).append)
    }
    await succeed(storage, await submit(storage, { id: "c" }), { chargeMicros: 0 })
    assert.deepEqual(await storage.sumCharges({ account: "account", from: 0, to: 9_000 }), [
      toSum({
        tasks: 3,
        outputVideoMs: 10_010,
        outputAudioMs: 122_882,
        characters: 2_400,
        tokens: 1_680,
        chargeMicros: 60_000,
      }),
    ])
  },

  "a failed task is charged where it was billed all the same, and only there": async (fixture) => {
    const { storage } = fixture
    await storage.setAccount({ id: "account", now: 500, settings: { budgetMicros: 1 } })
    const usage = { images: 2, inputVideosMs: [], outputVideoMs: 0 }
    for (const billed of [{ chargeMicros: 500, usage }, { chargeMicros: 0, usage }, undefined]) {
      const id = `t${String(billed?.chargeMicros)}`
      const { head } = await submit(storage, { id })
      const fail = {
        kind: "fail",
        attempt: 0,
        code: "no_output",
        ...(billed && { billed }),
      } as const
      await storage.append(advanceSample(head, [fail], { queue: FINISH }).append)
      const { streams } = await storage.scan({ after: "", limit: 9 })
      const charge = streams.find((stream) => stream.id === id)?.charge
      assert.equal(charge?.chargeMicros, billed?.chargeMicros)
    }
    const totals = { chargedMicros: 500, reservedMicros: 0, unfinishedTasks: 0 }
    assert.deepEqual(await storage.scanTotals(), [
      { account: "account", kept: totals, counted: totals },
    ])
    const sums = await storage.sumCharges({ account: "account", from: 0, to: 9_000 })
    assert.deepEqual(sums, [toSum({ tasks: 2, images: 4, chargeMicros: 500 })])
  },
}

interface Submission {
  readonly id: string
  readonly account?: string
  readonly model?: string
  readonly priceVersion?: string
}

async function submit(storage: Storage, { id, ...submitted }: Submission): Promise<SampleAppend> {
  const sample = submitSample({ id, submitted, queue: ENQUEUE })
  await storage.append(sample.append)
  return sample
}

async function succeed(
  storage: Storage,
  { head }: SampleAppend,
  success: SampleSuccess = {},
  now = 1_000,
): Promise<SampleAppend> {
  const commands = [dispatchSample(), succeedSample(1, success)]
  const sample = advanceSample(head, commands, { now, queue: FINISH })
  await storage.append(sample.append)
  return sample
}

/** Takes two tasks through their lives and returns the account's totals after each step. */
async function runThroughLife(storage: Storage, account = "account"): Promise<AccountTotals[]> {
  const totals: AccountTotals[] = []
  const look = async () => totals.push(await storage.readTotals(account))
  const [first, second] = [
    await submit(storage, { id: `${account}-1`, account }),
    await submit(storage, { id: `${account}-2`, account }),
  ]
  await look()
  const dispatched = advanceSample(first.head, [dispatchSample()])
  await storage.append(dispatched.append)
  await look()
  const fail = { kind: "fail", attempt: 1, code: "no_output" } as const
  await storage.append(advanceSample(dispatched.head, [fail], { queue: FINISH }).append)
  await look()
  const succeeded = await succeed(storage, second, { chargeMicros: 90_000 })
  await look()
  const expired = advanceSample(succeeded.head, [{ kind: "expire" }], { now: 5_000 })
  await storage.append(expired.append)
  await look()
  return totals
}

function toSum(sum: Partial<ChargeSum> & { readonly tasks: number }): ChargeSum {
  return {
    model: "model-a",
    priceVersion: "1",
    images: sum.tasks,
    outputVideoMs: 0,
    outputAudioMs: 0,
    characters: 0,
    tokens: 0,
    billedInputMs: 0,
    chargeMicros: 0,
    ...sum,
  }
}
