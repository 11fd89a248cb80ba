/** An account's bill with its evidence: every charge follows from the log, and what does not is told. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  billAccount,
  foldUntil,
  type BilledCharge,
  type BillOptions,
  type BillReport,
} from "@safelight/audit"
import {
  chargeUsage,
  DEFAULT_PRICES,
  MODELS,
  SafelightError,
  sealPrices,
  toCanonicalJson,
  toPriceDefinitions,
  toPriceVersion,
  type Model,
  type PriceBook,
  type TaskCommand,
} from "@safelight/core"
import * as fc from "fast-check"
import { checkAsync } from "./support/property.ts"
import { randomLog } from "./support/random-log.ts"
import {
  createBillStorage,
  createLog,
  createSampleLog,
  createStream,
  dispatch,
  EDIT,
  reseal,
  streamOf,
  submission,
  success,
  VIDEO,
  type SampleLog,
  type SampleStream,
} from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"

const IMAGES = { images: 2, inputVideosMs: [], outputVideoMs: 0 }

const optionsOf = (storage: BillOptions["storage"]): BillOptions => ({
  storage,
  digest: sha256,
  prices: DEFAULT_PRICES,
  models: MODELS,
  account: "ann",
  from: 0,
  to: 10_000,
})

async function bill(
  log: SampleLog,
  given: Partial<BillOptions> = {},
): Promise<{ readonly charges: readonly BilledCharge[]; readonly report: BillReport }> {
  const steps = billAccount({ ...optionsOf(createBillStorage(log)), ...given })
  const charges: BilledCharge[] = []
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const step = await steps.next()
    if (step.done === true) return { charges, report: step.value }
    charges.push(step.value)
  }
}

const kindsOf = ({ findings }: BillReport): readonly unknown[] =>
  findings.map((finding) => [
    finding.kind,
    finding.task,
    finding.version,
    ...("field" in finding ? [finding.field] : []),
  ])

function withCharge(stream: SampleStream, version: number, chargeMicros: number): void {
  const data = JSON.parse(stream.events[version - 1]?.data ?? "{}") as object
  reseal(stream, version, { data: toCanonicalJson({ ...data, chargeMicros }) })
}

describe("a bill", () => {
  it("has each charge with what was used, by which price, and the event that charged it", async () => {
    const log = createSampleLog()
    const { charges, report } = await bill(log, { account: "ben" })
    const event = streamOf(log, "task-1").events[3]
    assert.deepEqual(charges, [
      {
        task: "task-1",
        model: VIDEO,
        outcome: "succeeded",
        endedAt: 1_030,
        usage: { images: 0, inputVideosMs: [1_500], outputVideoMs: 5_005 },
        parameters: {},
        price: {
          version: "default-1",
          digest: null,
          price: { perVideoSecondMicros: 100_000 },
        },
        lines: [
          { item: "output_video", quantity: 5_005, unitPriceMicros: 100_000 },
          { item: "input_video", quantity: 4_000, unitPriceMicros: 100_000 },
        ],
        measuredMicros: 900_500,
        limitMicros: 80_000,
        recomputedMicros: 900_500,
        chargeMicros: 900_500,
        event: { version: 4, hash: event?.hash },
        finding: null,
      },
    ])
    assert.deepEqual(report, {
      outcome: "whole",
      charges: 1,
      untoldCharges: 0,
      billedMicros: 900_500,
      chargeMicros: 900_500,
      recomputedMicros: 900_500,
      findings: [],
      findingCount: 0,
    })
  })

  it("goes by the moment at which tasks ended, a page at a time, and is lazy", async () => {
    const log = createSampleLog()
    const { charges } = await bill(log)
    const order = charges.map(({ endedAt, task }) => [endedAt, task])
    assert.deepEqual(order, [
      [1_020, "task-4"],
      [1_030, "task-3"],
      [1_040, "task-0"],
    ])
    for (const pageCharges of [1, 2, 3]) {
      assert.deepEqual((await bill(log, { pageCharges })).charges, charges)
    }
    const requests: number[] = []
    const storage = createBillStorage(log)
    const noting: BillOptions["storage"] = {
      ...storage,
      listCharges(request) {
        requests.push(request.limit)
        return storage.listCharges(request)
      },
    }
    const steps = billAccount({ ...optionsOf(noting), pageCharges: 1 })
    assert.deepEqual(requests, [])
    await steps.next()
    assert.deepEqual(requests, [1])
  })

  it("has the charges of its period and account alone", async () => {
    const log = createSampleLog()
    const tasks = async (given: Partial<BillOptions>) =>
      (await bill(log, given)).charges.map(({ task }) => task)
    assert.deepEqual(await tasks({ from: 1_030, to: 1_040 }), ["task-3"])
    assert.deepEqual(await tasks({ from: 1_031, to: 1_040 }), [])
    assert.deepEqual(await tasks({ account: "nobody" }), [])
    const { report } = await bill(log, { account: "nobody" })
    assert.deepEqual(
      [report.outcome, report.chargeMicros, report.recomputedMicros],
      ["whole", 0, 0],
    )
  })

  it("adds up to the months of the log, for every account of any log", async (t) => {
    let charged = 0
    const property = fc.asyncProperty(randomLog, async (log) => {
      const pages = foldUntil({
        storage: log,
        digest: sha256,
        prices: DEFAULT_PRICES,
        models: MODELS,
        untilAt: 8_640_000_000_000_000,
      })
      let step = await pages.next()
      // oxlint-disable-next-line no-await-in-loop
      while (step.done !== true) step = await pages.next()
      for (const { account, chargeMicros, month, tasks } of step.value.bills) {
        const from = Date.parse(`${month}-01T00:00:00Z`)
        const end = new Date(from)
        end.setUTCMonth(end.getUTCMonth() + 1)
        // oxlint-disable-next-line no-await-in-loop
        const { charges, report } = await bill(log, { account, from, to: end.getTime() })
        assert.deepEqual(
          [report.charges, report.chargeMicros, report.billedMicros, report.untoldCharges],
          [tasks, chargeMicros, chargeMicros, 0],
        )
        const told = charges.reduce((sum, each) => sum + each.chargeMicros, 0)
        assert.equal(told, chargeMicros)
        charged += tasks
      }
    })
    await checkAsync(t, property, 60)
    assert.ok(charged > 30, `${charged} charges`)
  })

  it("names the digest of the price's definition, which the database keeps", async () => {
    const own: PriceBook = [{ version: "own", models: { [EDIT]: { perImageMicros: 20_000 } } }]
    const [table] = sealPrices(own, sha256)
    const priceVersion = toPriceVersion(table, EDIT)
    const submit = submission("ann", EDIT) as Extract<TaskCommand, { kind: "submit" }>
    const submitted = { ...submit.submitted, priceVersion }
    const log = createLog([
      createStream("task-0", [{ ...submit, submitted }, dispatch(), success(EDIT, IMAGES)]),
    ])
    const [definition] = toPriceDefinitions(own, sha256)
    assert.ok(definition !== undefined)
    const expected = {
      version: priceVersion,
      digest: definition.digest,
      price: { perImageMicros: 20_000 },
    }
    // The configuration's own table has the same digest, whether the database has it or not.
    assert.deepEqual((await bill(log, { prices: own })).charges[0]?.price, expected)
    log.definitions.set(definition.digest, definition)
    assert.deepEqual((await bill(log, { prices: own })).charges[0]?.price, expected)
    assert.deepEqual((await bill(log)).charges[0]?.price, { ...expected, price: null })
    log.definitions.set(definition.digest, { ...definition, body: `${definition.body} ` })
    assert.equal((await bill(log)).charges[0]?.price.digest, null)
  })

  it("is recomputed by a model's own arithmetic, which has no lines", async () => {
    const own: Model = {
      ...(MODELS.find(({ id }) => id === EDIT) as Model),
      charge: (usage, price, parameters) => chargeUsage(usage, price, parameters) + 1,
    }
    const log = createSampleLog()
    withCharge(streamOf(log, "task-4"), 3, 40_001)
    const { charges } = await bill(log, { models: [own], to: 1_030 })
    const [{ chargeMicros, finding, lines, measuredMicros } = {}] = charges
    assert.deepEqual([chargeMicros, measuredMicros, lines, finding], [40_001, 40_001, [], null])
  })

  it("is held to what was reserved, and says what was measured", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-1")
    withCharge(stream, 4, 80_000)
    if (stream.charge) stream.charge = { ...stream.charge, chargeMicros: 80_000 }
    const { charges, report } = await bill(log, { account: "ben" })
    const [{ chargeMicros, limitMicros, measuredMicros, recomputedMicros } = {}] = charges
    assert.deepEqual(
      [chargeMicros, limitMicros, measuredMicros, recomputedMicros],
      [80_000, 80_000, 900_500, 80_000],
    )
    assert.equal(report.outcome, "whole")
  })
})

describe("what does not follow from the log", () => {
  it("is a charge that is not what price and usage make, with what they make", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-0")
    withCharge(stream, 5, 40_001)
    if (stream.charge) stream.charge = { ...stream.charge, chargeMicros: 40_001 }
    const { charges, report } = await bill(log)
    const [, , last] = charges
    assert.deepEqual(
      [last?.chargeMicros, last?.recomputedMicros, last?.finding?.kind],
      [40_001, 40_000, "charge-differs"],
    )
    assert.deepEqual(
      [report.outcome, report.billedMicros, report.chargeMicros, report.recomputedMicros],
      ["differs", 100_001, 100_001, 100_000],
    )
    assert.deepEqual(kindsOf(report), [["charge-differs", "task-0", 5]])
  })

  it("is an item of the bill that is not the event's", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-0")
    if (stream.charge) stream.charge = { ...stream.charge, chargeMicros: 39_999, images: 3 }
    const { charges, report } = await bill(log)
    assert.equal(charges.length, 3)
    assert.deepEqual(
      [report.outcome, report.billedMicros, report.chargeMicros, report.recomputedMicros],
      ["differs", 99_999, 100_000, 100_000],
    )
    assert.deepEqual(kindsOf(report), [
      ["charge-row-differs", "task-0", 5, "chargeMicros"],
      ["charge-row-differs", "task-0", 5, "images"],
    ])
  })

  it("is an item of another account or another moment: it is no evidence for this bill", async () => {
    for (const change of [{ account: "ben" }, { at: 1_039 }]) {
      const log = createSampleLog()
      const stream = streamOf(log, "task-0")
      if (stream.charge) stream.charge = { ...stream.charge, ...change }
      const { account = "ann" } = change
      const { charges, report } = await bill(log, { account })
      assert.ok(charges.every(({ task }) => task !== "task-0"))
      assert.deepEqual([report.outcome, report.untoldCharges], ["differs", 1])
      assert.deepEqual(kindsOf(report), [
        ["charge-row-differs", "task-0", 5, Object.keys(change)[0]],
      ])
    }
  })

  it("is an item of a task that charged nothing, or of none", async () => {
    const log = createSampleLog()
    const { charge } = streamOf(log, "task-0")
    const [waiting, none] = [streamOf(log, "task-5"), streamOf(log, "task-6")]
    if (charge) waiting.charge = { ...charge, task: "task-5" }
    if (charge) none.charge = { ...charge, task: "task-6" }
    none.events = []
    const { charges, report } = await bill(log)
    assert.deepEqual([charges.length, report.untoldCharges, report.outcome], [3, 2, "differs"])
    assert.deepEqual(kindsOf(report), [
      ["charge-row-orphaned", "task-5", null],
      ["charge-row-orphaned", "task-6", null],
    ])
  })

  it("is a charge behind a chain that is not whole", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-0")
    stream.events = stream.events.map((event) =>
      event.version === 2 ? { ...event, at: event.at + 1 } : event,
    )
    const { charges, report } = await bill(log)
    assert.deepEqual([charges.length, report.untoldCharges, report.charges], [2, 1, 2])
    assert.deepEqual([report.billedMicros, report.chargeMicros], [100_000, 60_000])
    assert.deepEqual(kindsOf(report), [["hash-differs", "task-0", 2]])
    assert.equal(report.outcome, "differs")
  })

  it("can't be told without the price", async () => {
    const prices: PriceBook = [{ version: "another", models: {} }]
    const { charges, report } = await bill(createSampleLog(), { prices })
    assert.equal(report.outcome, "could-not-tell")
    assert.deepEqual([report.chargeMicros, report.recomputedMicros], [100_000, null])
    for (const { lines, measuredMicros, price, recomputedMicros } of charges) {
      assert.deepEqual([lines, measuredMicros, recomputedMicros], [[], null, null])
      assert.deepEqual(price, { version: "default-1", digest: null, price: null })
    }
  })

  it("can't be told without a model that may have an arithmetic of its own", async () => {
    const log = createSampleLog()
    withCharge(streamOf(log, "task-4"), 3, 40_001)
    const { charges, report } = await bill(log, { models: [], to: 1_030 })
    const [{ finding, lines, measuredMicros, recomputedMicros } = {}] = charges
    assert.deepEqual([lines, measuredMicros, recomputedMicros], [[], null, null])
    assert.equal(finding?.kind, "model-unknown")
    assert.equal(report.recomputedMicros, null)
  })

  it("is not told by a storage that fails, which is no report", async () => {
    const storage = createBillStorage(createSampleLog())
    const readEvents = () =>
      Promise.reject(new SafelightError({ code: "storage-unavailable", message: "gone" }))
    const failing = bill(createSampleLog(), { storage: { ...storage, readEvents } })
    await assert.rejects(failing, { code: "storage-unavailable" })
  })
})
