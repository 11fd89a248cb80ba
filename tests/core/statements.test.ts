/** An account's statement: what a bill proves, told to the account itself, and nothing that is another's. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { billAccount, createStatements, type StatementsOptions } from "@safelight/audit"
import {
  DEFAULT_PRICES,
  hashShownEvent,
  MODELS,
  openEvent,
  SafelightError,
  sealPrices,
  toCanonicalJson,
  toPriceDefinitions,
  toPriceVersion,
  type PriceBook,
  type StatedCharge,
  type StatementService,
  type StoredEvent,
  type TaskCommand,
} from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import {
  alter,
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
  type SampleLog,
} from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"

const ALL = { account: "ann", from: 0, to: 10_000, limit: 100 }
const IMAGES = { images: 2, inputVideosMs: [], outputVideoMs: 0 }

const optionsOf = (log: SampleLog): StatementsOptions => ({
  storage: createBillStorage(log),
  digest: sha256,
  prices: DEFAULT_PRICES,
  models: MODELS,
  clock: createManualClock(),
})

const statementsOf = (log: SampleLog, given: Partial<StatementsOptions> = {}): StatementService =>
  createStatements({ ...optionsOf(log), ...given })

async function state(
  log: SampleLog,
  given: Partial<StatementsOptions> = {},
  account = "ann",
): Promise<readonly StatedCharge[]> {
  return (await statementsOf(log, given).readStatement({ ...ALL, account })).charges
}

/** That of a task. */
async function stateTask(
  log: SampleLog,
  task: string,
  given: Partial<StatementsOptions> = {},
): Promise<StatedCharge> {
  const charges = await state(log, given)
  return charges.find(({ item }) => item.task === task) ?? assert.fail(`${task} is not stated`)
}

describe("a statement", () => {
  it("says of each charge what the operator's bill says", async () => {
    const log = createSampleLog()
    for (const account of ["ann", "ben"]) {
      const bill = billAccount({ ...optionsOf(log), account, from: 0, to: 10_000 })
      const charges = await state(log, {}, account)
      for (const { evidence, finding, item } of charges) {
        const { value } = await bill.next()
        assert.ok(value !== undefined && "task" in value && evidence !== null)
        assert.deepEqual(
          [item.task, item.model, item.at, item.chargeMicros, finding],
          [value.task, value.model, value.endedAt, value.chargeMicros, value.finding],
        )
        const { event, ...rest } = evidence
        const { lines, limitMicros, measuredMicros, outcome, price, usage } = value
        assert.deepEqual(rest, { lines, limitMicros, measuredMicros, outcome, price, usage })
        const { hash, version } = event.shown?.event ?? {}
        assert.deepEqual([event.version, { hash, version }], [value.event.version, value.event])
      }
      assert.equal((await bill.next()).done, true)
      assert.equal(charges.length, account === "ann" ? 3 : 1)
    }
  })

  it("has the outcome of what failed and was charged", async () => {
    const { evidence } = await stateTask(createSampleLog(), "task-3")
    assert.deepEqual([evidence?.outcome, evidence?.measuredMicros], ["failed", 20_000])
  })

  it("has each charging event as its account may see it, with the hash that it follows", async () => {
    const log = createSampleLog()
    for (const { evidence, item } of await state(log)) {
      const shown = evidence?.event.shown ?? assert.fail("no event")
      const { hash, ...event } = shown.event
      assert.equal(hashShownEvent(sha256, shown.previousHash, event), hash)
      const stored = streamOf(log, item.task).events[event.version - 1]
      assert.ok(stored?.sealed)
      assert.deepEqual([hash, event.sealed], [stored.hash, sha256([stored.sealed])])
      assert.ok(!JSON.stringify(evidence).includes(stored.sealed))
    }
  })

  it("comes by the moments at which tasks ended, a page at a time", async () => {
    const statements = statementsOf(createSampleLog())
    const first = await statements.readStatement({ ...ALL, limit: 2 })
    assert.deepEqual(first.next, { at: 1_030, task: "task-3" })
    const second = await statements.readStatement({ ...ALL, limit: 2, after: first.next })
    assert.equal(second.next, null)
    const tasks = [...first.charges, ...second.charges].map(({ item }) => item.task)
    assert.deepEqual(tasks, ["task-4", "task-3", "task-0"])
  })

  it("has the events of few tasks in memory, and ends with the storage's error", async () => {
    const tasks = Array.from({ length: 30 }, (_, index) =>
      createStream(`task-${index}`, [submission("ann", EDIT), dispatch(), success(EDIT, IMAGES)]),
    )
    const log = createLog(tasks)
    const storage = createBillStorage(log)
    let [reading, most, asked] = [0, 0, 0]
    let failure: SafelightError | undefined
    async function readEvents(task: string): Promise<readonly StoredEvent[]> {
      asked += 1
      reading += 1
      most = Math.max(most, reading)
      await new Promise(setImmediate)
      reading -= 1
      if (failure !== undefined) throw failure
      return storage.readEvents(task)
    }
    const watched = { storage: { ...storage, readEvents } }
    assert.equal((await state(log, watched)).length, 30)
    assert.deepEqual([most, asked], [4, 30])
    failure = new SafelightError({ code: "storage-unavailable", message: "gone" })
    await assert.rejects(state(log, watched), { code: "storage-unavailable" })
    assert.ok(asked < 40, `${asked - 30} reads of a storage that is gone`)
  })
})

describe("an event of an early schema", () => {
  it("hides the hash of the charge that follows it, which would tell what is the operator's", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-0")
    const [, dispatched] = stream.events
    assert.ok(dispatched?.type === "dispatched")
    const data = toCanonicalJson(openEvent(dispatched).data)
    reseal(stream, 2, { data, schema: 1, sealed: null })
    const { evidence, finding } = await stateTask(log, "task-0")
    assert.deepEqual([finding, evidence?.measuredMicros], [null, 40_000])
    assert.deepEqual(evidence?.event, { version: 5, shown: null })
    assert.equal((await stateTask(log, "task-4")).evidence?.event.shown?.event.version, 3)
  })
})

describe("a statement tells", () => {
  it("an item that is not the one that the log makes, and what it must be", async () => {
    for (const change of [{ chargeMicros: 39_999 }, { images: 3 }]) {
      const log = createSampleLog()
      const stream = streamOf(log, "task-0")
      if (stream.charge) stream.charge = { ...stream.charge, ...change }
      const { evidence, finding, item } = await stateTask(log, "task-0")
      assert.deepEqual(finding, { code: "item-differs", expectedMicros: 40_000 })
      assert.deepEqual(item, stream.charge)
      assert.deepEqual([evidence?.measuredMicros, evidence?.usage?.images], [40_000, 2])
    }
  })

  it("an item of another account's task, of another moment and of no task, and nothing of them", async () => {
    const log = createSampleLog()
    const [foreign, moved, waiting] = ["task-1", "task-0", "task-5"].map((id) => streamOf(log, id))
    const { charge } = moved ?? {}
    if (foreign?.charge) foreign.charge = { ...foreign.charge, account: "ann" }
    if (waiting && charge) waiting.charge = { ...charge, task: "task-5" }
    if (moved && charge) moved.charge = { ...charge, at: 1_039 }
    const charges = await state(log)
    const untold = charges.filter(({ evidence }) => evidence === null)
    assert.deepEqual(untold.map(({ item }) => item.task).toSorted(), ["task-0", "task-1", "task-5"])
    for (const { finding } of untold) {
      assert.deepEqual(finding, { code: "not-in-log", expectedMicros: null })
    }
    assert.doesNotMatch(JSON.stringify(charges), /ben/)
  })

  it("events that were altered, of which it shows none", async () => {
    for (const change of [{ at: 1_011 }, { data: "{" }, { schema: 1 }]) {
      const log = createSampleLog()
      alter(streamOf(log, "task-0"), 2, change)
      const { evidence, finding } = await stateTask(log, "task-0")
      assert.deepEqual([evidence, finding?.code], [null, "log-damaged"])
      assert.equal((await stateTask(log, "task-4")).finding, null)
    }
  })

  it("events of a newer release, which nobody can judge here", async () => {
    const log = createSampleLog()
    reseal(streamOf(log, "task-0"), 2, { type: "dreamt" })
    const { evidence, finding } = await stateTask(log, "task-0")
    assert.deepEqual([evidence, finding], [null, { code: "not-judged", expectedMicros: null }])
  })

  it("a charge that usage and price do not make, and what they make", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-0")
    const data = JSON.parse(stream.events[4]?.data ?? "{}") as object
    reseal(stream, 5, { data: toCanonicalJson({ ...data, chargeMicros: 40_001 }) })
    if (stream.charge) stream.charge = { ...stream.charge, chargeMicros: 40_001 }
    const { evidence, finding } = await stateTask(log, "task-0")
    assert.deepEqual(finding, { code: "charge-differs", expectedMicros: 40_000 })
    assert.equal(evidence?.measuredMicros, 40_000)
  })
})

describe("the prices of a statement", () => {
  const own: PriceBook = [{ version: "own", models: { [EDIT]: { perImageMicros: 20_000 } } }]
  const [table] = sealPrices(own, sha256)
  const priceVersion = toPriceVersion(table, EDIT)
  const [definition = assert.fail("no definition")] = toPriceDefinitions(own, sha256)

  function createOwnLog(): SampleLog {
    const submit = submission("ann", EDIT) as Extract<TaskCommand, { kind: "submit" }>
    const submitted = { ...submit.submitted, priceVersion }
    const commands = [{ ...submit, submitted }, dispatch(), success(EDIT, IMAGES)]
    return createLog([createStream("task-0", commands)])
  }

  it("are also those that another process kept since, a minute later", async () => {
    const log = createOwnLog()
    const clock = createManualClock()
    let lists = 0
    const storage: StatementsOptions["storage"] = {
      ...createBillStorage(log),
      listDefinitions(kind) {
        lists += 1
        return log.listDefinitions(kind)
      },
    }
    const statements = statementsOf(log, { storage, clock })
    const read = async () => (await statements.readStatement(ALL)).charges[0]
    assert.equal((await read())?.finding?.code, "not-judged")
    log.definitions.set(definition.digest, definition)
    await clock.advance(59_999)
    const untold = await read()
    assert.deepEqual([untold?.finding?.code, lists], ["not-judged", 1])
    assert.deepEqual(untold?.evidence?.price, { version: priceVersion, digest: null, price: null })
    await clock.advance(1)
    const told = await read()
    assert.deepEqual([told?.finding, lists], [null, 2])
    const price = { perImageMicros: 20_000 }
    assert.deepEqual(told?.evidence?.price, {
      version: priceVersion,
      digest: definition.digest,
      price,
    })
  })

  it("are read again if they could not be read", async () => {
    const log = createOwnLog()
    log.definitions.set(definition.digest, definition)
    let failures = 1
    const storage: StatementsOptions["storage"] = {
      ...createBillStorage(log),
      listDefinitions(kind) {
        failures -= 1
        if (failures < 0) return log.listDefinitions(kind)
        return Promise.reject(new SafelightError({ code: "storage-unavailable", message: "gone" }))
      },
    }
    const statements = statementsOf(log, { storage })
    await assert.rejects(statements.readStatement(ALL), { code: "storage-unavailable" })
    assert.equal((await statements.readStatement(ALL)).charges[0]?.finding, null)
  })
})
