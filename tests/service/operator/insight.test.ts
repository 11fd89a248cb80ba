/** What an operator is shown of a service, without HTTP: over a storage in memory, on a manual clock. */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { SILENT_LOG, type AuditMessage, type ChannelLimits, type Storage } from "@safelight/core"
import {
  advanceSample,
  createManualClock,
  createMemoryStorage,
  dispatchSample,
  submitSample,
  succeedSample,
  type ManualClock,
  type MemoryStorage,
} from "@safelight/testkit"
import type { Operator } from "@safelight/operator"
import { createServiceOperator, createRecentCommits, loadConfiguration } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { FACTS } from "../../support/lease-facts.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const HOUR_MS = 3_600_000

interface World {
  readonly clock: ManualClock
  readonly storage: MemoryStorage
  readonly insight: Operator
  /** How often a method of the storage was called. */
  count(method: keyof Storage): number
  /** Adds a task; with a channel it is running there. */
  add(id: string, channel?: string): Promise<void>
  succeed(id: string, channel: string): Promise<void>
}

interface WorldOptions {
  readonly module?: string
  /** Of the configuration; the studio by default. */
  readonly channels?: readonly object[]
  readonly limits?: ReadonlyMap<string, ChannelLimits>
}

const NO_ENGINE = {
  cancel: async () => assert.fail("nothing is cancelled"),
  listTasks: async () => assert.fail("no account's tasks are listed"),
  resolve: async () => assert.fail("nothing is settled"),
}

async function createWorld(
  t: TestContext,
  { module, channels: own = [{ type: "studio" }] }: WorldOptions = {},
): Promise<World> {
  const folder = await createTemporaryFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  const channels = module === undefined ? own : [{ module: "./own.mjs" }]
  if (module !== undefined) await writeFile(join(folder.path, "own.mjs"), module)
  await writeFile(join(folder.path, "safelight.config.json"), JSON.stringify({ channels }))
  const configuration = await loadConfiguration({
    flags: {},
    environment: {},
    folder: folder.path,
  })
  const clock = createManualClock({ now: 30 * HOUR_MS })
  const storage = createMemoryStorage()
  const counts = new Map<string, number>()
  const counted = new Proxy(storage, {
    get(target, name: keyof Storage) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return target[name]
    },
  })
  const insight = createServiceOperator({
    configuration,
    environment: {},
    storage: counted,
    clock,
    log: SILENT_LOG,
    commits: createRecentCommits(clock),
    // Nothing here asks it.
    engine: NO_ENGINE,
    routes: [],
    serviceVersion: "1.2.3",
    startedAt: clock.now(),
  })
  t.after(() => insight.stop())

  async function append(id: string, channel: string | undefined, isOver: boolean): Promise<void> {
    const now = clock.now()
    const submitted = { model: PICTURE, endBy: now + HOUR_MS, account: `of-${id}` }
    const queue = { kind: "enqueue", dueAt: now, endBy: now + HOUR_MS } as const
    const place = { lease: channel === undefined ? null : "mine", startTag: 1 }
    const sample = submitSample({ id, submitted, now, queue: { ...queue, ...place } })
    await storage.append(sample.append)
    if (channel === undefined) return
    const commands = [{ ...dispatchSample(), channel, sendBefore: now + 1 } as never]
    const end = isOver ? [succeedSample()] : []
    const more = isOver ? { queue: { kind: "finish", retainAt: now + HOUR_MS } as const } : {}
    await storage.append(advanceSample(sample.head, [...commands, ...end], { now, ...more }).append)
  }

  return {
    clock,
    storage,
    insight,
    count: (method) => counts.get(method) ?? 0,
    add: (id, channel) => append(id, channel, false),
    succeed: (id, channel) => append(id, channel, true),
  }
}

describe("the newest commits", () => {
  it("tell sizes and percentiles of those that were made, and how many failed", () => {
    const clock = createManualClock()
    const commits = createRecentCommits(clock)
    const nothing = { batches: 0, failedBatches: 0, meanSize: 0, p50Ms: 0, p99Ms: 0, periodMs: 0 }
    assert.deepEqual(commits.read(), nothing)
    for (let index = 1; index <= 200; index += 1) commits.note({ changes: 3, durationMs: index })
    commits.note({ changes: 500, durationMs: 9_000, isFailed: true })
    const told = { batches: 201, failedBatches: 1, meanSize: 3, p50Ms: 100, p99Ms: 198 }
    assert.deepEqual(commits.read(), { ...told, periodMs: 0 })
  })

  it("are of five minutes, and never more than a few thousand", async () => {
    const clock = createManualClock()
    const commits = createRecentCommits(clock)
    commits.note({ changes: 1, durationMs: 1 })
    await clock.advance(300_000)
    commits.note({ changes: 5, durationMs: 7 })
    assert.deepEqual([commits.read().batches, commits.read().periodMs], [2, 300_000])
    await clock.advance(1)
    assert.deepEqual([commits.read().batches, commits.read().meanSize], [1, 5])
    for (let index = 0; index < 10_000; index += 1) commits.note({ changes: 1, durationMs: 2 })
    const { batches, p99Ms } = commits.read()
    assert.deepEqual([batches, p99Ms], [4_096, 2])
  })
})

describe("the system", () => {
  it("shows versions, queue, nodes and process, and asks the database once a moment", async (t) => {
    const { add, clock, count, insight, storage } = await createWorld(t)
    const node = { host: "north", role: "worker", startedAt: 5 }
    const facts = { ...FACTS, node, toldAt: clock.now() }
    await storage.heartbeat({ lease: "mine", heartbeats: 1, facts })
    await storage.heartbeat({ lease: "old", heartbeats: 1, facts: FACTS })
    await add("t1")
    await add("t2", "studio")
    await clock.advance(1_500)
    const [system] = await Promise.all([1, 2, 3].map(() => insight.system.readSystem()))
    assert.ok(system)
    assert.deepEqual(system.versions, { service: "1.2.3", node: process.version })
    assert.equal(system.role, "all")
    assert.equal(system.startedAt, 30 * HOUR_MS)
    assert.deepEqual(system.queue, {
      newTasks: 1,
      dueTasks: 0,
      heldTasks: 1,
      oldestAt: 30 * HOUR_MS,
      oldestWaitingMs: 1_500,
      accounts: [{ account: "of-t1", tasks: 1 }],
    })
    const unknown = { host: null, role: null, startedAt: null, heartbeatAt: null }
    assert.deepEqual(system.nodes, [
      { lease: "mine", ...node, heartbeatAt: 30 * HOUR_MS, inFlight: 1 },
      { lease: "old", ...unknown, inFlight: 0 },
    ])
    assert.ok(system.memory.residentBytes > system.memory.heapUsedBytes)
    assert.equal(count("measureBacklog"), 1)
    await clock.advance(2_001)
    await insight.system.readSystem()
    assert.equal(count("measureBacklog"), 2)
  })
})

describe("usage", () => {
  it("is charge, cost and margin by what is asked, and says if there was more", async (t) => {
    const { clock, insight, storage, succeed } = await createWorld(t)
    await succeed("t1", "studio")
    await clock.advance(24 * HOUR_MS)
    await succeed("t2", "studio")
    const all = { from: 0, to: 90 * HOUR_MS }
    const days = await insight.usage.sumUsage({ ...all, by: "day" })
    const sums = { succeeded: 1, failed: 0, chargeMicros: 30_000, costMicros: 0, unknownCosts: 1 }
    const row = { ...sums, marginMicros: 30_000 }
    assert.deepEqual(days, {
      rows: [
        { name: "1970-01-02", ...row },
        { name: "1970-01-03", ...row },
      ],
      hasMore: false,
    })
    const own = await insight.usage.sumUsage({ ...all, by: "account", account: "of-t2" })
    assert.deepEqual(own.rows, [{ name: "of-t2", ...row }])
    const sum = { succeeded: 1, failed: 1, deferred: 0, unknown: 0 }
    const money = { chargeMicros: 100, toldMicros: 30, computedMicros: 80 }
    storage.groupOutcomes = async ({ limit }) =>
      Array.from({ length: limit }, (_, index) => ({ name: `a${index}`, ...sum, ...money }))
    const many = await insight.usage.sumUsage({ ...all, by: "account" })
    assert.deepEqual([many.rows.length, many.hasMore], [1_000, true])
    const { costMicros, marginMicros } = many.rows[0] ?? assert.fail()
    assert.deepEqual([costMicros, marginMicros], [110, -10])
  })
})

describe("channels", () => {
  it("are listed with state, hours, and those that are no longer configured", async (t) => {
    const { add, clock, count, insight, succeed } = await createWorld(t)
    await succeed("t0", "studio")
    await clock.advance(24 * HOUR_MS)
    await succeed("t1", "studio")
    await add("t2", "gone")
    const list = await insight.channels.listChannels()
    assert.deepEqual(
      list.map(({ channel, inFlight, leftOut, state }) => [channel, state, inFlight, leftOut]),
      [
        ["studio", "open", 0, null],
        ["gone", "open", 1, "it is not in the configuration"],
      ],
    )
    const [studio] = list
    assert.deepEqual([studio?.type, studio?.tier, studio?.weight], ["studio", 1, 1])
    assert.deepEqual(
      studio?.hours.map(({ hourAt, succeeded }) => [hourAt, succeeded]),
      [[54 * HOUR_MS, 1]],
    )
    await insight.channels.listChannels()
    assert.equal(count("listChannelHours"), 1)
  })

  it("tell what their provider calls the models that have another name there", async (t) => {
    const channels = [
      { type: "fal", models: { [PICTURE]: "fal-ai/flux-2-pro" } },
      { type: "replicate", models: { [PICTURE]: { model: "acme/flux", drop: ["size"] } } },
      { type: "studio" },
    ]
    const { add, insight } = await createWorld(t, { channels })
    await add("t1", "gone")
    const list = await insight.channels.listChannels()
    assert.deepEqual(
      list.map(({ channel, upstreams = {} }) => [channel, upstreams]),
      [
        ["fal", { [PICTURE]: "fal-ai/flux-2-pro" }],
        ["replicate", { [PICTURE]: "acme/flux" }],
        ["studio", {}],
        ["gone", {}],
      ],
    )
  })

  it("are paused and resumed by any name that is known, and by no other", async (t) => {
    const { add, clock, insight, storage } = await createWorld(t)
    const { pauseChannel, resumeChannel } = insight.channels
    await add("t1", "gone")
    const pausedAt = clock.now()
    const paused = { channel: "studio", state: "paused", pausedAt, inFlight: 0 }
    assert.deepEqual(await pauseChannel("studio", "key"), paused)
    const draining = { channel: "gone", state: "draining", pausedAt, inFlight: 1 }
    assert.deepEqual(await pauseChannel("gone", "key"), draining)
    const open = { channel: "gone", state: "open", pausedAt: 0, inFlight: 1 }
    assert.deepEqual(await resumeChannel("gone", "key"), open)
    assert.equal(await pauseChannel("nobody", "key"), undefined)
    assert.equal(await resumeChannel("nobody", "key"), undefined)
    assert.deepEqual(await storage.listPausedChannels(), [{ channel: "studio", pausedAt }])
  })

  it("are checked once at a time each, however many ask", async (t) => {
    const module = `let checks = 0
      export default () => ({ name: "own", models: ["${PICTURE}"], submission: { kind: "unkeyed" },
        concurrency: 1, submitTimeoutMs: 1, submit() {}, poll() {}, async check() {
          checks += 1
          await new Promise((resolve) => setImmediate(resolve))
          return { kind: "refused", reason: "refused " + checks }
        } })`
    const { clock, insight } = await createWorld(t, { module })
    const { checkChannel } = insight.channels
    assert.equal(await checkChannel("nobody"), undefined)
    const problems = async (): Promise<unknown> => (await checkChannel("own"))?.problems
    const first = [["refused 1"], ["refused 1"], ["refused 1"]]
    assert.deepEqual(await Promise.all([problems(), problems(), problems()]), first)
    await clock.advance(3_001)
    assert.deepEqual(await problems(), ["refused 2"])
  })
})

describe("an audit within the service", () => {
  const noEnd = (): void => {}

  it("tells how far it is, then its report, and nothing more", async (t) => {
    const { insight, storage, succeed } = await createWorld(t)
    await succeed("t1", "studio")
    const whole = insight.audits.begin("verify", noEnd) ?? assert.fail()
    const progress = { tasks: 1, events: 3, findingCount: 0 }
    assert.deepEqual(await whole.next(), { kind: "progress", progress })
    assert.deepEqual(await whole.next(), {
      kind: "report",
      report: { ...progress, outcome: "whole", foreignRows: 0, chargeMicros: 30_000, findings: [] },
    })
    assert.equal(await whole.next(), undefined)
    const replay = insight.audits.begin("replay", noEnd) ?? assert.fail()
    await replay.next()
    const untold = toReport(await replay.next())
    assert.deepEqual(
      [untold.outcome, untold.findings.map(({ kind }) => kind)],
      ["could-not-tell", ["price-unknown"]],
    )
    const [event] = storage.events.get("t1") ?? []
    Object.assign(event ?? {}, { hash: "0".repeat(64) })
    const audit = insight.audits.begin("verify", noEnd) ?? assert.fail()
    await audit.next()
    const { findings, outcome } = toReport(await audit.next())
    assert.equal(outcome, "differs")
    assert.deepEqual(
      [findings[0]?.kind, findings[0]?.task, findings[0]?.version],
      ["hash-differs", "t1", 1],
    )
    assert.match(findings[0]?.words ?? "", /t1/)
  })

  it("runs alone: another begins once it is over or ended, and none after a stop", async (t) => {
    const { insight, succeed } = await createWorld(t)
    await succeed("t1", "studio")
    const { audits } = insight
    const first = audits.begin("verify", noEnd) ?? assert.fail()
    assert.equal(audits.begin("replay", noEnd), undefined)
    first.end()
    first.end()
    assert.equal(await first.next(), undefined)
    let ends = 0
    const second = audits.begin("replay", () => void (ends += 1)) ?? assert.fail()
    first.end()
    assert.equal(audits.begin("verify", noEnd), undefined, "the second still runs")
    insight.stop()
    assert.equal(ends, 1)
    assert.equal(await second.next(), undefined)
    second.end()
    assert.equal(audits.begin("verify", noEnd), undefined)
  })
})

function toReport(message: AuditMessage | undefined) {
  return message?.kind === "report" ? message.report : assert.fail("no report")
}
