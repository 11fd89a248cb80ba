/**
 * The log as it stood at a moment: whatever the log, it is what a fold of the events up to then makes, and damage is
 * told where it could have changed that.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { foldUntil, type FoldUntilOptions, type PastReport, type ToldTask } from "@safelight/audit"
import {
  DEFAULT_PRICES,
  fold,
  MAX_CHARGE_MICROS,
  MODELS,
  openEvent,
  SafelightError,
  toCanonicalJson,
  type StoredEvent,
} from "@safelight/core"
import * as fc from "fast-check"
import { checkAsync } from "./support/property.ts"
import { randomLog } from "./support/random-log.ts"
import {
  alter,
  createLog,
  createSampleLog,
  createStream,
  dispatch,
  EDIT,
  reseal,
  streamOf,
  submission,
  type SampleLog,
} from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"

const optionsOf = (
  storage: FoldUntilOptions["storage"],
  untilAt: number | undefined,
  more: Partial<FoldUntilOptions> = {},
): FoldUntilOptions => ({
  storage,
  digest: sha256,
  prices: DEFAULT_PRICES,
  models: MODELS,
  ...(untilAt !== undefined && { untilAt }),
  ...more,
})

async function collect(
  log: SampleLog,
  untilAt: number,
  more: Partial<FoldUntilOptions> = {},
): Promise<{ readonly tasks: readonly ToldTask[]; readonly report: PastReport }> {
  return collectAll(optionsOf(log, untilAt, more))
}

async function collectAll(options: FoldUntilOptions): ReturnType<typeof collect> {
  const pages = foldUntil(options)
  const tasks: ToldTask[] = []
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const step = await pages.next()
    if (step.done === true) return { tasks, report: step.value }
    tasks.push(...step.value.tasks)
  }
}

/** When nothing has expired yet. */
const END = 10_000

const kindsOf = ({ findings }: PastReport): readonly unknown[] =>
  findings.map(({ kind, task, version }) => [kind, task, version])

/** What the events up to then make, by another way than the audit's. */
function toExpected(log: SampleLog, isThen: (event: StoredEvent) => boolean) {
  const tasks = log.streams.flatMap(({ events, id }) => {
    const past = events.filter(isThen)
    const { hash, version } = past.at(-1) ?? {}
    return past.length === 0 ? [] : [{ task: fold(id, past.map(openEvent)), hash, version }]
  })
  const charged = tasks.filter(({ task }) => task.usage !== null).map(({ task }) => task)
  const bills = Map.groupBy(charged, ({ account, finishedAt }) => {
    const at = new Date(finishedAt)
    return `${account} ${at.getUTCFullYear()} ${at.getUTCMonth() + 1}`
  })
  return {
    tasks,
    events: tasks.reduce((sum, { task }) => sum + task.version, 0),
    states: Object.fromEntries(
      [...Map.groupBy(tasks, ({ task }) => task.state)].map(([state, of]) => [state, of.length]),
    ),
    total: charged.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0),
    bills: Object.fromEntries(
      [...bills].map(([key, of]) => [
        key,
        [of.length, of.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0)],
      ]),
    ),
  }
}

/** Gives the events leaves, those of a task in their order, whose tasks follow each other as it is chosen. */
function plantTree(log: SampleLog, choose: Iterator<number>) {
  const leaves = new Map<string, number>()
  const left = log.streams.map(({ events }) => [...events]).filter((events) => events.length > 0)
  while (left.length > 0) {
    const place = (choose.next().value ?? 0) % left.length
    const event = left[place]?.shift()
    assert.ok(event)
    leaves.set(`${event.task} ${event.version}`, leaves.size)
    if (left[place]?.length === 0) left.splice(place, 1)
  }
  const size = leaves.size
  const readLeaves = async (task: string) =>
    log.streams
      .filter(({ id }) => id === task)
      .flatMap(({ events }) =>
        events.map(({ hash, version }) => {
          return { hash, version, index: leaves.get(`${task} ${version}`) ?? 0 }
        }),
      )
  const readTree = async () => ({ size, root: "" })
  return { leaves, size, storage: { ...log, readLeaves, readTree } }
}

describe("the log as it stood at a moment", () => {
  it("is the fold of what had happened by then, whatever the log, the moment and the page", async (t) => {
    const moments = fc.record({
      log: randomLog,
      pick: fc.nat(),
      shiftMs: fc.constantFrom(-1, 0, 1),
      pageStreams: fc.integer({ min: 1, max: 10 }),
    })
    let [early, told] = [0, 0]
    const property = fc.asyncProperty(moments, async ({ log, pick, shiftMs, pageStreams }) => {
      const all = log.streams.flatMap(({ events }) => events.map(({ at }) => at))
      const untilAt = Math.max(0, (all[pick % Math.max(1, all.length)] ?? 0) + shiftMs)
      const { report, tasks } = await collect(log, untilAt, { pageStreams })
      const expected = toExpected(log, ({ at }) => at <= untilAt)
      assert.deepEqual(
        tasks.map(({ event, task }) => ({ task, ...event })),
        expected.tasks,
      )
      assert.deepEqual(
        [report.tasks, report.events, report.untoldTasks, report.untilAt],
        [expected.tasks.length, expected.events, 0, untilAt],
      )
      assert.deepEqual(report.tasksByState, expected.states)
      assert.equal(report.chargeMicros.total, expected.total)
      const bills = report.bills.map(({ account, chargeMicros, month, tasks: count }) => {
        const [year, number] = month.split("-").map(Number)
        return [`${account} ${year} ${number}`, [count, chargeMicros]]
      })
      assert.equal(bills.length, Object.keys(expected.bills).length)
      assert.deepEqual(Object.fromEntries(bills), expected.bills)
      early += Number(expected.events < all.length)
      told += tasks.length
    })
    await checkAsync(t, property, 150)
    // Otherwise the moments never were in the middle of a log.
    assert.ok(early > 20 && told > 50, `${early} moments, ${told} tasks`)
  })

  it("adds up to the charges of its tasks, by account and by month", async (t) => {
    const property = fc.asyncProperty(randomLog, async (log) => {
      const { report, tasks } = await collect(log, 8_640_000_000_000_000)
      const charges = tasks.flatMap(({ charge }) => charge ?? [])
      const sum = (all: readonly { readonly chargeMicros: number }[]): number =>
        all.reduce((total, { chargeMicros }) => total + chargeMicros, 0)
      assert.equal(sum(report.bills), sum(charges))
      assert.equal(report.chargeMicros.total, sum(charges))
      for (const [account, micros] of Object.entries(report.chargeMicros.byAccount)) {
        assert.equal(sum(charges.filter((each) => each.account === account)), micros)
      }
      const order = report.bills.map(({ account, month }) => `${account} ${month}`)
      assert.deepEqual(order, order.toSorted())
      for (const { event, task } of charges) {
        const stored = streamOf(log, task).events[event.version - 1]
        assert.equal(stored?.hash, event.hash)
        assert.match(stored?.type ?? "", /^(succeeded|failed)$/)
      }
    })
    await checkAsync(t, property, 60)
  })

  it("is whole where a service wrote it, and says by when what was charged", async () => {
    const { report, tasks } = await collect(createSampleLog(), END)
    assert.deepEqual(
      [report.outcome, report.tasks, report.findings, report.untoldTasks],
      ["whole", 10, [], 0],
    )
    assert.deepEqual(report.bills, [
      { account: "ann", month: "1970-01", tasks: 3, chargeMicros: 100_000 },
      { account: "ben", month: "1970-01", tasks: 1, chargeMicros: 900_500 },
    ])
    // The expiry of one task is fourteen days later.
    assert.equal(report.tasksByState["succeeded.available"], 3)
    assert.equal(tasks[4]?.event.version, 3)
    const charged = tasks.find(({ task }) => task.id === "task-3")?.charge
    assert.deepEqual([charged?.chargeMicros, charged?.finding], [20_000, null])
  })

  it("is empty before anything had happened", async () => {
    const { report, tasks } = await collect(createSampleLog(), 999)
    assert.deepEqual([tasks, report.tasks, report.events], [[], 0, 0])
    assert.deepEqual([report.outcome, report.bills, report.tasksByState], ["whole", [], {}])
  })

  it("is read page by page, and one page before it is asked for", async () => {
    const log = createSampleLog()
    const pages = foldUntil(optionsOf(log, END, { pageStreams: 3 }))
    assert.equal(log.requests.length, 0)
    await pages.next()
    await pages.next()
    assert.deepEqual(
      log.requests.map(({ limit }) => limit),
      [3, 3, 3],
    )
  })

  it("is the fold of what the first leaves of the tree stand for, whatever their order", async (t) => {
    const property = fc.asyncProperty(
      randomLog,
      fc.infiniteStream(fc.nat()),
      async (log, choose) => {
        const { leaves, size, storage } = plantTree(log, choose)
        for (const untilSize of [0, Math.floor(size / 2), size]) {
          const isThen = (event: StoredEvent): boolean => {
            const index = leaves.get(`${event.task} ${event.version}`) ?? Infinity
            return index < untilSize
          }
          const expected = toExpected(log, isThen)
          const { report, tasks } = await collectAll({
            ...optionsOf(storage, undefined),
            untilSize,
          })
          assert.deepEqual(
            tasks.map(({ event, task }) => ({ task, ...event })),
            expected.tasks,
          )
          assert.deepEqual([report.events, report.chargeMicros.total], [untilSize, expected.total])
          assert.deepEqual([report.untilAt, report.untilSize], [null, untilSize])
        }
        const beyond = foldUntil({ ...optionsOf(storage, undefined), untilSize: size + 1 })
        await assert.rejects(beyond.next(), {
          code: "invalid-configuration",
          message: /the tree has/,
        })
      },
    )
    await checkAsync(t, property, 40)
  })

  it("is refused for what is no moment", async () => {
    for (const untilAt of [-1, 0.5, Number.NaN, 8_640_000_000_000_001]) {
      const pages = foldUntil(optionsOf(createSampleLog(), untilAt))
      await assert.rejects(pages.next(), { code: "invalid-configuration" })
    }
  })

  it("is not told by a storage that fails, which is no report", async () => {
    const message = "the disk is gone"
    const scan = () => Promise.reject(new SafelightError({ code: "storage-unavailable", message }))
    const pages = foldUntil(optionsOf({ ...createSampleLog(), scan }, END))
    await assert.rejects(pages.next(), { code: "storage-unavailable" })
  })
})

describe("damage", () => {
  it("of any event of then, or of the one behind it, leaves its task out and is told", async () => {
    // Events of task-0 are at 1000, 1010, … 1040: three of then, and the one behind them.
    for (const version of [1, 2, 3, 4]) {
      const log = createSampleLog()
      const stream = streamOf(log, "task-0")
      alter(stream, version, { at: (stream.events[version - 1]?.at ?? 0) + 1 })
      const { report, tasks } = await collect(log, 1_020)
      assert.deepEqual([report.outcome, report.untoldTasks], ["differs", 1], `event ${version}`)
      assert.deepEqual(kindsOf(report), [["hash-differs", "task-0", version]])
      assert.deepEqual(
        tasks.map(({ task }) => task.id),
        ["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((name) => `task-${name}`),
      )
      assert.equal(report.tasks, 9)
    }
  })

  it("of what came later changes nothing", async () => {
    const log = createSampleLog()
    const expected = await collect(log, 1_020)
    alter(streamOf(log, "task-0"), 5, { data: "{}" })
    assert.deepEqual(await collect(log, 1_020), expected)
    assert.equal((await collect(log, 1_040)).report.outcome, "differs")
  })

  it("by a later moment that hides an event is told", async () => {
    const log = createSampleLog()
    alter(streamOf(log, "task-0"), 5, { at: 50_000 })
    const { report } = await collect(log, END)
    assert.deepEqual(kindsOf(report), [["hash-differs", "task-0", 5]])
  })

  it("by events that were removed from the end is told by the row, which is ahead of them", async () => {
    const log = createSampleLog()
    const [first, second] = [streamOf(log, "task-0"), streamOf(log, "task-1")]
    first.events = first.events.slice(0, 3)
    second.events = []
    const { report, tasks } = await collect(log, END)
    assert.deepEqual(kindsOf(report), [
      ["row-differs", "task-0", 3],
      ["row-orphaned", "task-1", null],
    ])
    assert.deepEqual([report.outcome, report.untoldTasks, tasks.length], ["differs", 2, 8])
  })

  it("by events that are sealed again and not legal is told", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-0")
    reseal(stream, 3, { type: "expired", schema: 1, data: '{"keys":[]}', sealed: null })
    const { report } = await collect(log, END)
    assert.deepEqual(kindsOf(report), [["event-illegal", "task-0", 3]])
    assert.deepEqual([report.outcome, report.untoldTasks], ["differs", 1])
  })

  it("is not what a newer release wrote, but then nobody can tell the task", async () => {
    const log = createSampleLog()
    reseal(streamOf(log, "task-0"), 3, { type: "painted" })
    const { report } = await collect(log, END)
    assert.deepEqual(kindsOf(report), [["event-unknown", "task-0", 3]])
    assert.deepEqual([report.outcome, report.untoldTasks], ["could-not-tell", 1])
  })

  it("is not a charge that price and usage don't make: it is in the bill, with its finding", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-0")
    const data = JSON.parse(stream.events[4]?.data ?? "{}") as object
    reseal(stream, 5, { data: toCanonicalJson({ ...data, chargeMicros: 40_001 }) })
    const { report, tasks } = await collect(log, END)
    assert.deepEqual(kindsOf(report), [["charge-differs", "task-0", 5]])
    assert.deepEqual([report.outcome, report.untoldTasks], ["differs", 0])
    assert.equal(report.chargeMicros.byAccount["ann"], 100_001)
    const { charge } = tasks[0] ?? {}
    assert.deepEqual([charge?.chargeMicros, charge?.finding?.expected], [40_001, 40_000])
  })

  it("is not a charge without a usage either, which is in the bill as well", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-2")
    const data = JSON.parse(stream.events[3]?.data ?? "{}") as object
    reseal(stream, 4, { data: toCanonicalJson({ ...data, chargeMicros: 7 }) })
    const { report } = await collect(log, END)
    assert.deepEqual(kindsOf(report), [["charge-differs", "task-2", 4]])
    assert.equal(report.chargeMicros.byAccount["ben"], 900_507)
  })

  it("is no price that is not known here, and the state is told", async () => {
    const log = createSampleLog()
    const prices = [{ version: "another", models: {} }] as const
    const { report } = await collect(log, END, { prices })
    assert.equal(report.outcome, "could-not-tell")
    assert.deepEqual(new Set(report.findings.map(({ kind }) => kind)), new Set(["price-unknown"]))
    assert.deepEqual([report.tasks, report.untoldTasks], [10, 0])
  })

  it("is no definition that the log names and nobody keeps, and the state is told", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-8")
    const data = JSON.parse(stream.events[0]?.data ?? "{}") as object
    const definition = "d0".repeat(32)
    reseal(stream, 1, { data: toCanonicalJson({ ...data, definition }) })
    const { report, tasks } = await collect(log, END)
    assert.deepEqual(kindsOf(report), [["definition-unknown", "task-8", 1]])
    assert.deepEqual([report.outcome, tasks.length, report.untoldTasks], ["could-not-tell", 10, 0])
  })

  it("is no sum that can't be counted: that charge is in none", async () => {
    const usage = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
    const billed = { chargeMicros: MAX_CHARGE_MICROS, usage }
    const most = Math.floor(Number.MAX_SAFE_INTEGER / MAX_CHARGE_MICROS)
    const ids = Array.from(
      { length: most + 1 },
      (_, index) => `task-${String(index).padStart(4, "0")}`,
    )
    const log = createLog(
      ids.map((id) =>
        createStream(id, [
          submission("ann", EDIT),
          dispatch(),
          { kind: "fail", attempt: 1, code: "no_output", billed },
        ]),
      ),
    )
    const { report } = await collect(log, END, { keptFindings: 2_000 })
    const kinds = report.findings.filter(({ kind }) => kind === "total-too-large")
    assert.deepEqual(
      kinds.map(({ task, version }) => [task, version]),
      [[ids.at(-1), 3]],
    )
    assert.equal(report.chargeMicros.total, most * MAX_CHARGE_MICROS)
    assert.deepEqual(report.bills, [
      { account: "ann", month: "1970-01", tasks: most, chargeMicros: most * MAX_CHARGE_MICROS },
    ])
  })
})
