/**
 * A restored copy beside its original: whatever the log and wherever the backup cut it, what lacks is counted, and each
 * purchase is where the engine would leave it (engine's README, "A generation is bought once").
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  compareCopy,
  type DrillLoss,
  type DrillReport,
  type PurchasingChannel,
} from "@safelight/audit"
import { isTerminal, fold, openEvent, type StoredEvent, type TaskCommand } from "@safelight/core"
import * as fc from "fast-check"
import { checkAsync } from "./support/property.ts"
import { randomLog } from "./support/random-log.ts"
import {
  alter,
  createLog,
  createSampleLog,
  createStream,
  EDIT,
  submission,
  success,
  type SampleLog,
  type SampleStream,
} from "./support/sample-log.ts"

const CHANNELS: ReadonlyMap<string, PurchasingChannel> = new Map([
  ["keyed", declare({ kind: "keyed", keyTtlMs: 1_000_000 }, false)],
  ["brief", declare({ kind: "keyed", keyTtlMs: 2_000 }, false)],
  ["asked", declare({ kind: "lookup", longestRequestMs: 1 }, true)],
  ["unkeyed", declare({ kind: "unkeyed" }, true)],
])

function declare(repeats: PurchasingChannel["submission"], canFind: boolean): PurchasingChannel {
  return { submission: repeats, submitTimeoutMs: 1_000, canFind }
}

/** Before any task's end, and after the keys of `brief` have gone. */
const NOW = 100_000

interface Sides {
  readonly copy: SampleLog
  readonly original?: SampleLog
  readonly now?: number
}

function compare({ copy, original, now = NOW }: Sides): Promise<DrillReport> {
  return compareCopy({ copy, original, channels: CHANNELS, now, pageStreams: 2 })
}

async function compareBoth(sides: Required<Omit<Sides, "now">> & Sides): Promise<DrillLoss> {
  const { loss } = await compare(sides)
  assert.ok(loss !== null)
  return loss
}

/** The task as a backup has it that was made after so many of its events. */
function cut(stream: SampleStream, events: number): SampleStream {
  return { ...stream, events: stream.events.slice(0, events) }
}

function cutLog({ streams }: SampleLog, versions: readonly number[]): SampleLog {
  const kept = streams.map((stream, index) => cut(stream, versions[index] ?? 0))
  return createLog(kept.filter(({ events }) => events.length > 0))
}

const newestOf = ({ streams }: SampleLog): number =>
  Math.max(...streams.flatMap(({ events }) => events.map(({ at }) => at)))

function sumCharges(events: readonly StoredEvent[]): number {
  return events.map(openEvent).reduce((sum, { data, type }) => {
    return type === "succeeded" || type === "failed" ? sum + data.chargeMicros : sum
  }, 0)
}

describe("a copy that is an earlier state of its original", () => {
  it("lacks nothing if it is the same", async () => {
    const report = await compare({ copy: createSampleLog(), original: createSampleLog() })
    assert.equal(report.outcome, "whole")
    const { isPrefix, lostMs, missingEvents } = report.loss ?? {}
    assert.deepEqual([isPrefix, lostMs, missingEvents], [true, 0, 0])
    assert.deepEqual([report.loss?.tasks, report.tasks, report.unfinishedTasks], [10, 10, 4])
    assert.deepEqual(report.tasksByState, {
      "succeeded.available": 2,
      "succeeded.expired": 1,
      doubtful: 1,
      failed: 3,
      queued: 2,
      running: 1,
    })
  })

  it("lacks exactly what was recorded after it, whatever the log", async (t) => {
    const cuts = fc.array(fc.nat({ max: 8 }), { minLength: 9, maxLength: 9 })
    await checkAsync(
      t,
      fc.asyncProperty(randomLog, cuts, async (log, versions) => {
        const original = createLog(log.streams.filter(({ events }) => events.length > 0))
        const copy = cutLog(original, versions)
        const report = await compare({ copy, original })
        const rest = original.streams.map(({ events }, index) => events.slice(versions[index] ?? 0))
        const missing = rest.flat()
        const { loss } = report
        assert.ok(loss !== null)
        const whole = missing.length === 0 ? "whole" : "differs"
        assert.deepEqual([report.outcome, loss.isPrefix], [whole, true])
        const { earlierTasks, forgottenMicros, lostTasks, missingEvents } = loss
        const lost = original.streams.length - copy.streams.length
        const behind = rest.filter((events) => events.length > 0).length - lost
        assert.deepEqual([missingEvents, lostTasks, earlierTasks], [missing.length, lost, behind])
        assert.equal(forgottenMicros.total, sumCharges(missing))
        const at = Math.max(...missing.map((event) => event.at))
        const expected = missing.length === 0 ? 0 : Math.max(0, at - newestOf(copy))
        if (copy.streams.length > 0) assert.equal(loss.lostMs, expected)
        const unfinished = copy.streams.filter(
          ({ events, id }) => !isTerminal(fold(id, events.map(openEvent))),
        ).length
        const steps = Object.values(report.nextSteps).reduce((sum, tasks) => sum + tasks, 0)
        assert.deepEqual([report.unfinishedTasks, steps], [unfinished, unfinished])
      }),
    )
  })

  it("forgets charges by account, and holds reservations again", async () => {
    const original = createSampleLog()
    // The first two before they succeeded; the fourth, which was billed as it failed, is lost.
    const copy = cutLog(original, [4, 3, 4, 0, 3, 3, 3, 6, 1, 2])
    const loss = await compareBoth({ copy, original })
    const [one = 0, two = 0, four = 0] = [0, 1, 3].map((index) =>
      sumCharges(original.streams[index]?.events ?? []),
    )
    assert.deepEqual(loss.forgottenMicros, {
      total: one + two + four,
      byAccount: { ann: one + four, ben: two },
    })
    assert.deepEqual(loss.reopened, { tasks: 2, reservationMicros: 160_000 })
    assert.deepEqual([loss.lostTasks, loss.lostUnfinishedTasks, loss.earlierTasks], [1, 0, 3])
  })

  it("is read in pages, and told without an original", async () => {
    const copy = createSampleLog()
    const report = await compare({ copy })
    assert.deepEqual([report.outcome, report.loss], ["whole", null])
    assert.ok(copy.requests.every(({ limit }) => limit === 2))
    assert.equal(report.newestAt, newestOf(copy))
  })
})

describe("a copy that is no earlier state of its original", () => {
  const one = (key: string): TaskCommand[] => [submission("ann", EDIT), ask("keyed", key)]

  it("has another event in a place, which is named", async () => {
    const [copy, original] = [createStream("t", one("t.1")), createStream("t", one("t.2"))]
    const report = await compare({ copy: createLog([copy]), original: createLog([original]) })
    assert.equal(report.outcome, "differs")
    assert.equal(report.loss?.isPrefix, false)
    assert.deepEqual(report.loss.findings, [
      {
        kind: "forked",
        task: "t",
        version: 2,
        expected: original.events[1]?.hash,
        found: copy.events[1]?.hash,
      },
    ])
    assert.equal(report.loss.missingEvents, 0)
  })

  it("has gone on by itself, or has a task of its own", async () => {
    const whole = createStream("t", one("t.1"))
    const copy = createLog([createStream("s", one("s.1")), whole])
    const report = await compare({ copy, original: createLog([cut(whole, 1)]) })
    assert.equal(report.outcome, "differs")
    assert.deepEqual(report.loss?.findings, [
      { kind: "ahead", task: "s", version: 2, expected: 0 },
      { kind: "ahead", task: "t", version: 2, expected: 1 },
    ])
  })

  it("has events that nobody can read", async () => {
    const stream = createStream("t", one("t.1"))
    alter(stream, 2, { data: "torn" })
    const report = await compare({ copy: createLog([stream]) })
    assert.deepEqual([report.outcome, report.untoldTasks], ["could-not-tell", 1])
  })
})

function ask(channel: string, upstreamKey: string): TaskCommand {
  const names = { because: "its turn", channel, lease: "lease-1" }
  return { kind: "dispatch", ...names, sendBefore: 60_000, upstreamKey }
}

const OPERATION = { id: "op-7" }
const COST = { computedMicros: null, told: { micros: 40_000, unit: "usd" } }
const doubt: TaskCommand = { kind: "doubt", attempt: 1, code: "connection_lost" }
const accept = (upstreamKey: string): TaskCommand => {
  return { kind: "accept", operation: OPERATION, upstreamKey }
}
const succeeded = success(EDIT, { images: 1, inputVideosMs: [], outputVideoMs: 0 })
const done = { ...succeeded, cost: COST } as TaskCommand
const deferral: TaskCommand = { kind: "defer", attempt: 1, reason: "busy", retryAt: 2_000 }

/** What becomes of the purchase of the task `t`, of which the copy has `events`. */
async function tellFate(commands: readonly TaskCommand[], events: number, now = NOW) {
  const stream = createStream("t", [submission("ann", EDIT), ...commands])
  const copy = createLog([cut(stream, events)].filter((each) => each.events.length > 0))
  const report = await compare({ copy, original: createLog([stream]), now })
  assert.ok(report.loss !== null)
  const { lostByChannel, lostPurchases, purchases } = report.loss
  const fates = Object.entries(purchases).filter(([, sums]) => sums.purchases > 0)
  const steps = Object.entries(report.nextSteps).filter(([, tasks]) => tasks > 0)
  return {
    step: steps.map(([name]) => name).join(),
    fate: fates.map(([name]) => name).join(),
    sums: fates[0]?.[1],
    lostByChannel,
    lostPurchases,
  }
}

describe("a purchase whose outcome the copy lacks", () => {
  const bought = (channel: string) => [ask(channel, "t.1"), accept("t.1"), done]
  const doubted = (channel: string) => [ask(channel, "t.1"), doubt, accept("t.1"), done]

  for (const [channel, expected] of [
    ["keyed", "foundAgain"],
    ["brief", "boughtTwice"],
    ["asked", "foundAgain"],
    ["unkeyed", "boughtTwice"],
    ["strange", "unclear"],
  ] as const) {
    it(`of a task that waits in the copy, at the channel "${channel}": ${expected}`, async () => {
      const { fate, step, sums } = await tellFate(bought(channel), 1)
      assert.deepEqual([step, fate], ["bought", expected])
      assert.deepEqual(sums, { purchases: 1, costMicros: 40_000, unknownCosts: 0 })
    })
  }

  for (const [channel, step, expected] of [
    ["keyed", "repeated", "foundAgain"],
    ["brief", "givenUp", "abandoned"],
    ["asked", "lookedUp", "foundAgain"],
    ["unkeyed", "givenUp", "abandoned"],
    ["strange", "unclear", "unclear"],
  ] as const) {
    it(`of a task in doubt, at the channel "${channel}": ${step}, ${expected}`, async () => {
      for (const events of [2, 3]) {
        // oxlint-disable-next-line no-await-in-loop
        const told = await tellFate(doubted(channel), events)
        assert.deepEqual([told.step, told.fate], [step, expected])
      }
    })
  }

  it("of a task that runs is followed, and of one whose end has passed is in vain", async () => {
    const running = await tellFate(bought("unkeyed"), 3)
    assert.deepEqual([running.step, running.fate], ["followed", "foundAgain"])
    const ended = await tellFate(bought("keyed"), 1, 10_000_000)
    assert.deepEqual([ended.step, ended.fate], ["ended", "abandoned"])
  })

  it("of a later attempt is not looked up, and has no cost while it runs", async () => {
    const later = [ask("asked", "t.1"), deferral, ask("asked", "t.2"), accept("t.2")]
    const { fate, lostPurchases, sums } = await tellFate(later, 3)
    assert.equal(fate, "boughtTwice")
    assert.deepEqual(sums, { purchases: 1, costMicros: 0, unknownCosts: 1 })
    assert.deepEqual(lostPurchases, [
      {
        task: "t",
        fate: "boughtTwice",
        channel: "asked",
        upstreamKey: "t.2",
        operation: OPERATION,
        costMicros: null,
      },
    ])
  })

  it("of a lost task is forgotten, and known to the provider by its operation", async () => {
    const { fate, lostByChannel, lostPurchases, step } = await tellFate(bought("unkeyed"), 0)
    assert.deepEqual([step, fate], ["", "forgotten"])
    const sums = { purchases: 1, costMicros: 40_000, unknownCosts: 0 }
    assert.deepEqual(lostByChannel, { unkeyed: sums })
    assert.deepEqual(
      lostPurchases.map(({ costMicros, operation }) => [operation, costMicros]),
      [[OPERATION, 40_000]],
    )
  })

  it("is none if it is proved that nothing was billed, or the copy knows how it ended", async () => {
    const unsent = await tellFate([ask("unkeyed", "t.1"), deferral], 1)
    assert.equal(unsent.fate, "")
    const billed: TaskCommand = { ...deferral, cost: COST }
    const known = await tellFate([ask("unkeyed", "t.1"), billed, ask("unkeyed", "t.2")], 3)
    assert.deepEqual([known.fate, known.sums?.unknownCosts], ["boughtTwice", 1])
  })
})
