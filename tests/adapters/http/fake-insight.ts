/**
 * What an operator is shown, as a handler knows it: `studio` is a channel of the configuration, `gone` is not.
 * Audits are of as many pages as a test says.
 */
import { setImmediate } from "node:timers/promises"
import type {
  ChannelStanding,
  ChannelView,
  OperatorChange,
  OperatorInsight,
  SystemFacts,
} from "@safelight/core"
import { toOperatorChange } from "../../support/operator-change.ts"
import { createFakeOperatorAccounts } from "./fake-operator-accounts.ts"
import { createFakeOperatorTasks } from "./fake-operator-tasks.ts"

const HOUR = {
  channel: "studio",
  hourAt: 3_600_000,
  succeeded: 3,
  failed: 1,
  deferred: 2,
  chargeMicros: 90_000,
  toldMicros: 20,
  computedMicros: 3,
  unknown: 4,
  p50Ms: 5,
  p95Ms: null,
}

const STUDIO: ChannelView = {
  channel: "studio",
  state: "open",
  pausedAt: 0,
  inFlight: 2,
  type: "studio",
  tier: 1,
  weight: 2,
  models: ["model-a"],
  upstreams: { "model-a": "own-a" },
  limits: { concurrency: 2, requestsPerMinute: null },
  leftOut: null,
  leftAloneBy: 1,
  troubles: [
    {
      channel: "studio",
      reason: "provider_out_of_money",
      words: "Exhausted balance",
      since: 1_000,
    },
    {
      channel: "studio",
      reason: "output_host_refused",
      words: "files.example",
      since: 2_000,
    },
  ],
  hours: [HOUR],
}
const GONE: ChannelView = {
  ...STUDIO,
  channel: "gone",
  state: "draining",
  pausedAt: 5_000,
  type: null,
  tier: null,
  weight: null,
  models: null,
  limits: null,
  leftOut: "it is not in the configuration",
  hours: [],
}

const SYSTEM: SystemFacts = {
  versions: { service: "1.2.3", node: "v26" },
  database: { kind: "sqlite", version: "3.53.0", schema: 1 },
  role: "all",
  startedAt: 7_000,
  queue: {
    newTasks: 1,
    dueTasks: 2,
    heldTasks: 3,
    oldestAt: 4_000,
    oldestWaitingMs: 50,
    accounts: [{ account: "account-a", tasks: 3 }],
  },
  commits: { periodMs: 5, batches: 2, failedBatches: 1, meanSize: 1.5, p50Ms: 0.5, p99Ms: 2 },
  nodes: [
    {
      lease: "l1",
      host: "north",
      role: "worker",
      startedAt: 1_000,
      heartbeatAt: 9_000,
      inFlight: 3,
    },
    { lease: "l2", host: null, role: null, startedAt: null, heartbeatAt: null, inFlight: 0 },
  ],
  eventLoop: { periodMs: 5, meanDelayMs: 0.5, p99DelayMs: 1, maxDelayMs: 2 },
  memory: { residentBytes: 3, heapUsedBytes: 2, externalBytes: 1 },
}

/** An id of a change. */
export const LAST_CHANGE = "019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081"
const CHANGE: Partial<OperatorChange> = {
  change: "account-set",
  target: "acme",
  details: { settings: { budgetMicros: 5, signsContentUrls: true, suspendedAt: 2_000 } },
}

export function createFakeInsight(throwFailure: () => void) {
  const asked: unknown[] = []
  const changers: string[] = []
  const noteChanger = (changedBy: string): void => void changers.push(changedBy)
  let pages = 2
  let reads = 0
  let isBusy: boolean | undefined
  let running: { readonly onEnd: () => void } | undefined

  async function ask<Value>(question: unknown, value: Value): Promise<Value> {
    asked.push(question)
    throwFailure()
    return value
  }

  function find(channel: string): ChannelStanding | undefined {
    return [STUDIO, GONE].find((each) => each.channel === channel)
  }

  const insight: OperatorInsight = {
    channels: {
      listChannels: () => ask("list", [STUDIO, GONE]),
      pauseChannel(channel, changedBy) {
        changers.push(changedBy)
        return ask(["pause", channel], find(channel))
      },
      resumeChannel(channel, changedBy) {
        changers.push(changedBy)
        return ask(["resume", channel], find(channel))
      },
      checkChannel: (channel) =>
        ask(
          ["check", channel],
          channel === "studio"
            ? { channel, type: "studio", key: "none" as const, problems: ["no models"] }
            : undefined,
        ),
    },
    usage: {
      sumUsage: (request) =>
        ask(request, {
          rows: [
            {
              name: "2026-01-01",
              succeeded: 3,
              failed: 1,
              chargeMicros: 90,
              costMicros: 100,
              unknownCosts: 1,
              marginMicros: -10,
            },
          ],
          hasMore: true,
        }),
    },
    system: { readSystem: () => ask("system", SYSTEM) },
    tasks: createFakeOperatorTasks(ask, noteChanger),
    accounts: createFakeOperatorAccounts(ask, noteChanger),
    changes: {
      listChanges: (request) =>
        ask(["changes", request], { changes: [toOperatorChange(CHANGE)], next: LAST_CHANGE }),
    },
    audits: {
      begin(kind, onEnd) {
        asked.push(["audit", kind])
        throwFailure()
        if (isBusy ?? running !== undefined) return undefined
        const own = { onEnd }
        running = own
        let page = 0
        const end = (): void => {
          page = Infinity
          if (running === own) running = undefined
        }
        return {
          end,
          async next() {
            if (page > pages) return undefined
            // As an audit does between two pages.
            await setImmediate()
            reads += 1
            page += 1
            const counts = { tasks: page, events: page * 4, findingCount: 0 }
            if (page <= pages) return { kind: "progress", progress: counts }
            const finding = { kind: "hash-differs", task: "t", version: 2, words: "t: no" }
            const more = { foreignRows: 0, chargeMicros: 7, findings: [finding] }
            return { kind: "report", report: { ...counts, outcome: "could-not-tell", ...more } }
          },
        }
      },
    },
  }
  return {
    insight,
    asked,
    /** Who made each change. */
    changers,
    /** Whether another audit runs; without it that is known by those that were begun. */
    setBusy(busy: boolean): void {
      isBusy = busy
    },
    /** Of the audits that begin from now on. */
    setPages(count: number): void {
      pages = count
    },
    /** How many pages were read. */
    reads: () => reads,
    isRunning: () => running !== undefined,
    /** As the service does when it stops. */
    stop: () => running?.onEnd(),
  }
}
