/** The contract of `Storage`: figures of outcomes, queue, leases and database, for operators. */
import assert from "node:assert/strict"
import type { AllTasksRequest, AttemptCost, Storage, TaskCommand } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { sendHeartbeat, enqueue } from "./queue-samples.ts"
import { advanceSample, dispatchSample, submitSample, succeedSample } from "./sample-task.ts"
import { ENQUEUE, FINISH, MODELS, type StorageFixture } from "./storage-fixture.ts"

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const ALL = { from: 0, to: 10 * DAY_MS, limit: 10 }

export const INSIGHT_BEHAVIOURS: Behaviours<StorageFixture> = {
  "outcomes are grouped by day, model, channel or account": async ({ storage }) => {
    assert.deepEqual(await storage.groupOutcomes({ ...ALL, by: "day" }), [])
    await endThree(storage)
    const none = { deferred: 0, computedMicros: 0, unknown: 0 }
    const first = { ...none, succeeded: 1, failed: 0, chargeMicros: 30_000, toldMicros: 100 }
    const failed = { ...none, succeeded: 0, failed: 1, chargeMicros: 0, toldMicros: 0, unknown: 1 }
    const second = { ...none, succeeded: 1, failed: 1, chargeMicros: 30_000, toldMicros: 7 }
    const days = await storage.groupOutcomes({ ...ALL, by: "day" })
    assert.deepEqual(days, [
      { name: "1970-01-01", ...first },
      { name: "1970-01-02", ...second, unknown: 1 },
    ])
    assert.deepEqual(await storage.groupOutcomes({ ...ALL, by: "model" }), [
      { name: "model-a", ...second, ...first, succeeded: 2, chargeMicros: 60_000, toldMicros: 107 },
      { name: "model-b", ...failed },
    ])
    const channels = await storage.groupOutcomes({ ...ALL, by: "channel" })
    assert.deepEqual(channels, [
      { name: "B", ...first, toldMicros: 7 },
      { name: "a", ...first, failed: 1, unknown: 1 },
    ])
    const accounts = await storage.groupOutcomes({ ...ALL, by: "account" })
    assert.deepEqual(
      accounts.map(({ name, chargeMicros }) => [name, chargeMicros]),
      [
        ["two", 60_000],
        ["one", 0],
      ],
    )
  },

  "tasks of all accounts are listed newest first, by status and model, to the end": async (
    fixture,
  ) => {
    const { storage } = fixture
    const ids = [1, 2, 3, 4, 5].map((place) => `01a20800-0000-7000-8000-00000000000${place}`)
    for (const [index, id] of ids.entries()) {
      const account = index % 2 === 0 ? "one" : "two"
      const model = id === ids[1] ? "model-b" : "model-a"
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await storage.append(submitSample({ id, submitted: { account, model } }).append)
    }
    const list = async (request: Partial<AllTasksRequest> = {}) => {
      const { next, tasks } = await storage.listAllTasks({ limit: 2, ...request })
      return [tasks.map(({ id }) => ids.indexOf(id) + 1), next]
    }
    assert.deepEqual(await list(), [[5, 4], ids[3]])
    assert.deepEqual(await list({ after: ids[3] ?? "" }), [[3, 2], ids[1]])
    assert.deepEqual(await list({ after: ids[1] ?? "" }), [[1], null])
    assert.deepEqual(await list({ model: "model-b" }), [[2], null])
    assert.deepEqual(await list({ status: "queued", limit: 9 }), [[5, 4, 3, 2, 1], null])
    assert.deepEqual(await list({ status: "queued", model: "model-a", limit: 3 }), [
      [5, 4, 3],
      ids[2],
    ])
    assert.deepEqual(await list({ status: "failed" }), [[], null])
    const { tasks } = await storage.listAllTasks({ limit: 1 })
    assert.equal(tasks[0]?.account, "one")
  },

  "groups are of a period, of one account if asked, and no more than wanted": async (fixture) => {
    const { storage } = fixture
    await endThree(storage)
    const names = async (request: Partial<Parameters<Storage["groupOutcomes"]>[0]>) =>
      (await storage.groupOutcomes({ ...ALL, by: "channel", ...request })).map(({ name }) => name)
    assert.deepEqual(await names({ limit: 1 }), ["B"])
    assert.deepEqual(await names({ account: "one" }), ["a"])
    assert.deepEqual(await names({ account: "nobody" }), [])
    assert.deepEqual(await names({ account: "one", by: "account" }), ["one"])
    assert.deepEqual(await names({ to: DAY_MS }), ["a"])
    assert.deepEqual(await names({ from: DAY_MS + 2 }), [])
    assert.deepEqual(await names({ from: DAY_MS + 1, by: "day" }), ["1970-01-02"])
  },

  "a channel's hours tell how many ended, and how long successes took": async ({ storage }) => {
    const took = Array.from({ length: 20 }, (_, index) => (index + 1) * 10)
    for (const [index, tookMs] of took.entries()) {
      await end(storage, `t${index}`, { at: HOUR_MS + tookMs, askedAt: HOUR_MS })
    }
    await end(storage, "late", { at: 3 * HOUR_MS, askedAt: 3 * HOUR_MS - 5 })
    await end(storage, "failed", { at: 4 * HOUR_MS, command: FAIL })
    await end(storage, "other", { at: 4 * HOUR_MS - 1, askedAt: 4 * HOUR_MS - 2, channel: "B" })
    const hours = await storage.listChannelHours({ from: 0, to: DAY_MS })
    assert.deepEqual(
      hours.map((each) => {
        const { channel, failed, hourAt, p50Ms, p95Ms, succeeded } = each
        return [channel, hourAt / HOUR_MS, succeeded, failed, p50Ms, p95Ms]
      }),
      [
        ["B", 3, 1, 0, 1, 1],
        ["a", 1, 20, 0, 100, 190],
        ["a", 3, 1, 0, 5, 5],
        ["a", 4, 0, 1, null, null],
      ],
    )
    assert.equal(hours[1]?.chargeMicros, 20 * 30_000)
    const within = await storage.listChannelHours({ from: 3 * HOUR_MS, to: 4 * HOUR_MS })
    assert.deepEqual(
      within.map(({ channel, succeeded }) => [channel, succeeded]),
      [
        ["B", 1],
        ["a", 1],
      ],
    )
  },

  "sums of hours that are kept change no answer, of whole hours and parts, and miss no later attempt":
    async ({ storage }) => {
      const periods = [
        { from: 0, to: Number.MAX_SAFE_INTEGER },
        { from: HOUR_MS, to: 3 * HOUR_MS },
        { from: HOUR_MS + 15, to: DAY_MS + 1 },
        { from: HOUR_MS + 15, to: HOUR_MS + 25 },
      ]
      const ask = (period: { from: number; to: number }) =>
        Promise.all([
          ...(["day", "model", "channel", "account"] as const).map((by) =>
            storage.groupOutcomes({ ...period, by, limit: 10 }),
          ),
          storage.listChannelHours(period),
          storage.sumOutcomes(period),
        ])
      const askAll = () => Promise.all(periods.map(ask))
      const keep = () => storage.sumHours({ endedBefore: 30 * HOUR_MS, limit: 1_000 })
      await keep()
      await endThree(storage)
      for (const [index, tookMs] of [10, 20, 30].entries()) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await end(storage, `m${index}`, { at: HOUR_MS + tookMs, askedAt: HOUR_MS })
      }
      const before = await askAll()
      assert.equal((await ask(ALL))[0]?.length, 2)
      await storage.sumHours({ endedBefore: 30 * HOUR_MS, limit: 3 })
      assert.deepEqual(await askAll(), before)
      await Promise.all([keep(), keep()])
      assert.deepEqual(await askAll(), before)
      const late = { at: HOUR_MS + 20, askedAt: HOUR_MS - 1, model: "model-b" }
      await end(storage, "late", late)
      const after = await askAll()
      const [hour] = await storage.listChannelHours({ from: HOUR_MS, to: 2 * HOUR_MS })
      assert.deepEqual([hour?.succeeded, hour?.p50Ms, hour?.p95Ms], [4, 20, 30])
      assert.notDeepEqual(after, before)
      await keep()
      assert.deepEqual(await askAll(), after)
      await storage.forgetSums()
      assert.deepEqual(await askAll(), after)
    },

  "the backlog tells new tasks from due ones, and for whom most of it waits": async (fixture) => {
    const { storage } = fixture
    const empty = { newTasks: 0, dueTasks: 0, heldTasks: 0, oldestAt: null, accounts: [] }
    assert.deepEqual(await storage.measureBacklog({ accounts: 2 }), empty)
    await enqueue(storage, "n1", { account: "b", startTag: 1, dueAt: 700 })
    await enqueue(storage, "n2", { account: "a", startTag: 2 })
    await enqueue(storage, "d1", { account: "c", dueAt: 500 })
    await enqueue(storage, "d2", { account: "c", dueAt: 5_000 })
    await enqueue(storage, "h", { account: "d", dueAt: 100, lease: "mine" })
    assert.deepEqual(await storage.measureBacklog({ accounts: 2 }), {
      newTasks: 2,
      dueTasks: 2,
      heldTasks: 1,
      oldestAt: 500,
      accounts: [
        { account: "c", tasks: 2 },
        { account: "a", tasks: 1 },
      ],
    })
  },

  "held tasks are counted by lease, registered or not": async ({ storage }) => {
    assert.deepEqual(await storage.countHeld(), new Map())
    await sendHeartbeat(storage, "idle", 1)
    await enqueue(storage, "t1", { lease: "mine" })
    await enqueue(storage, "t2", { lease: "mine" })
    await enqueue(storage, "t3", { lease: "other" })
    await enqueue(storage, "t4")
    const held = Object.fromEntries(await storage.countHeld())
    assert.deepEqual(held, { mine: 2, other: 1 })
  },

  "the database tells which program it is, and its schema": async ({ storage }) => {
    const { kind, schema, version } = await storage.describeDatabase()
    assert.match(kind, /^[a-z]+$/)
    assert.match(version, /^\d/)
    assert.ok(schema >= 1)
  },
}

const FAIL: TaskCommand = { kind: "fail", attempt: 1, code: "provider_rejected" }

/** On two days, two channels, for two accounts. */
async function endThree(storage: Storage): Promise<void> {
  await end(storage, "t1", { at: 1_500, account: "two", command: succeedFor(100) })
  const later = { at: DAY_MS + 1, askedAt: DAY_MS }
  await end(storage, "t2", { ...later, account: "two", channel: "B", command: succeedFor(7) })
  await end(storage, "t3", { ...later, account: "one", model: "model-b", command: FAIL })
}

function succeedFor(micros: number): TaskCommand {
  const cost: AttemptCost = { computedMicros: null, told: { micros, unit: "usd" } }
  return succeedSample(1, { cost })
}

interface End {
  readonly at: number
  readonly askedAt?: number
  readonly account?: string
  readonly channel?: string
  readonly model?: string
  readonly command?: TaskCommand
}

async function end(storage: Storage, id: string, ending: End): Promise<void> {
  const { account = "account", at, askedAt = 1_000, channel = "a", model = MODELS[0] } = ending
  const { command = succeedSample() } = ending
  const submitted = { account, model, endBy: ALL.to }
  const { append, head } = submitSample({ id, submitted, queue: ENQUEUE })
  await storage.append(append)
  const ask = { ...dispatchSample(), channel } as TaskCommand
  const asked = advanceSample(head, [ask], { now: askedAt })
  await storage.append(asked.append)
  await storage.append(advanceSample(asked.head, [command], { now: at, queue: FINISH }).append)
}
