/**
 * Many nodes over one model of a database: each an engine, and webhooks, as a service has them. Every tenth account
 * has a webhook, and some are watched by streams; who sends a task in waits for its end at the same node.
 */
import { SILENT_LOG, type Channel } from "@safelight/core"
import { createEngine, type Engine } from "@safelight/engine"
import { createStorage } from "@safelight/store"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createWebhooks } from "@safelight/webhooks"
import { createInstantChannel } from "../../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../../support/sample-request.ts"
import { createRandom } from "../../../support/seeded-random.ts"
import { addAccounts, toAccountName } from "./account-rows.ts"
import { createDatabaseModel, type Counts } from "./database-model.ts"
import { toRandomness } from "./random.ts"
import type { VirtualTime } from "./virtual-time.ts"

export interface WorldOptions {
  readonly nodes: number
  readonly accounts: number
  /** Accounts that are watched by a stream, each at some node. */
  readonly streams: number
  readonly seed: number
}

export interface World {
  /** Sends in `perSecond` tasks a second; resolves to how long those that ended took beyond generation, ms. */
  readonly run: (seconds: number, perSecond: number) => Promise<readonly number[]>
  readonly takeCounts: () => Counts
}

/** Of each task. */
export const GENERATION_MS = 5_000

/** The schedule of a service's sweeps. */
const SWEEP_MS = 60_000

/** Every node has seen every other. */
const SETTLING_MS = 30_000

export async function createWorld(time: VirtualTime, options: WorldOptions): Promise<World> {
  const { accounts, seed } = options
  const random = createRandom(seed)
  const model = await createDatabaseModel(time)
  const engines: Engine[] = []
  for (let index = 0; index < options.nodes; index += 1) {
    engines.push(startNode(time, model.connect(), seed + index, random))
    await time.pass(random() * 100)
  }
  const first = createStorage(model.connect())
  const adding: Promise<unknown>[] = []
  adding.push(addAccounts(first, accounts, time.now()))
  for (let stream = 0; stream < Math.min(options.streams, accounts); stream += 1) {
    adding.push(openStream(pick(engines, random), toAccountName((stream * 3 + 1) % accounts)))
  }
  const added = Promise.all(adding)
  await time.pass(SETTLING_MS)
  await added
  model.takeCounts()
  let times: number[] = []
  const note = (ms: number): void => void times.push(ms)
  return {
    takeCounts: model.takeCounts,
    async run(seconds, perSecond) {
      times = []
      const total = seconds * perSecond
      for (let made = 0; made < total; made += 1) {
        const account = accounts === 0 ? "sample" : toAccountName(Math.floor(random() * accounts))
        void live(pick(engines, random), account, note)
        await time.pass(1_000 / perSecond)
      }
      if (total === 0) await time.pass(seconds * 1_000)
      return times
    },
  }
}

function startNode(
  time: VirtualTime,
  driver: Parameters<typeof createStorage>[0],
  seed: number,
  random: () => number,
): Engine {
  const storage = createStorage(driver)
  const artifacts = createMemoryArtifacts({ keep: 100 })
  const engine = createEngine({
    storage,
    artifacts,
    channels: [createChannel(time)],
    clock: time,
    randomness: toRandomness(seed),
    log: SILENT_LOG,
  })
  engine.start()
  const webhooks = createWebhooks({
    storage,
    tasks: engine,
    sender: {
      check: () => undefined,
      async send() {
        await time.wait(50)
        return { kind: "answered", status: 200, body: "" }
      },
      async close() {},
    },
    toTaskText: ({ id, state }) => JSON.stringify({ id, state }),
    clock: engine.clock,
    log: SILENT_LOG,
    random,
  })
  webhooks.start()
  void sweepEachMinute(time, engine)
  return engine
}

/** As node-cron runs it: at the minute's beginning, at every node. */
async function sweepEachMinute(time: VirtualTime, engine: Engine): Promise<void> {
  for (;;) {
    await time.wait(SWEEP_MS - (time.now() % SWEEP_MS))
    await engine.sweep()
  }
}

function createChannel(time: VirtualTime): Channel {
  const instant = createInstantChannel(100_000)
  return {
    ...instant,
    async submit(request) {
      await time.wait(GENERATION_MS)
      return instant.submit(request)
    },
  }
}

async function openStream(engine: Engine, account: string): Promise<void> {
  let after: Awaited<ReturnType<Engine["watchChanges"]>>["position"] | undefined
  let isReading = false
  let isDue = false
  async function read(): Promise<void> {
    isDue = true
    if (isReading || after === undefined) return
    isReading = true
    while (isDue) {
      isDue = false
      const page = await engine.readChanges({ account, after })
      after = page.kind === "lost" ? page.position : page.next
      if (page.kind !== "lost" && page.changes.length > 0) isDue = true
    }
    isReading = false
  }
  const watch = await engine.watchChanges({ account, onNews: () => void read(), onEnd() {} })
  after = watch.position
}

async function live(engine: Engine, account: string, note: (ms: number) => void): Promise<void> {
  const result = await engine.submit({ ...SAMPLE_REQUEST, account })
  if (result.kind === "rejected") throw new Error(result.rejection.code)
  const task = await engine.finished(result.task.id)
  if (task?.state !== "succeeded.available") throw new Error(`ended as ${task?.state}`)
  note((task.finishedAt ?? Infinity) - task.createdAt - GENERATION_MS)
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error("nothing to choose from")
  return item
}
