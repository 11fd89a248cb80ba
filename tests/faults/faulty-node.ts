/**
 * A node under test: the engine and its HTTP service over a storage, with the upstream's three
 * channels. At the n-th pass of a named point it kills or stops itself by signal, so nothing is
 * tidied up. Its argument is `NodeOptions` as JSON; it ends where its parent is gone.
 */
import { writeSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { inspect } from "node:util"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createAccess } from "@safelight/access"
import {
  fromSnapshot,
  isSafelightError,
  isTerminal,
  type Log,
  type LogFields,
  type Task,
} from "@safelight/core"
import { createEngine } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createFaultyClock } from "./faulty-clock.ts"
import { withFailingKeys } from "./failing-keys.ts"
import { createFullDisk } from "./full-disk.ts"
import type { UpstreamKind } from "./creations.ts"
import { NEW_PRICES, OLD_PRICES, PICTURE, ROUND_MODELS } from "./models.ts"
import {
  KEY_BELIEVED_MS,
  PUBLIC_URL,
  SETTINGS,
  STREAM_BEAT_MS,
  type NodeOptions,
  type Order,
  type Saying,
  type Trap,
} from "./node-orders.ts"
import { createNodeWebhooks } from "./node-webhooks.ts"
import { startSigning } from "./node-signing.ts"
import { openStorage } from "./open-storage.ts"
import { isResting } from "./resting.ts"
import { createUpstreamChannel } from "./upstream-channel.ts"
import { createFilmInspector, createUpstreamMedia } from "./upstream-media.ts"

/** How often the node sweeps: often enough that sweeps meet every other thing it does. */
const SWEEP_MS = 300

/** How often the draining node looks whether all is done. */
const DRAIN_LOOK_MS = 100

/** Tasks of one channel at once: few enough that a queue forms. */
const CONCURRENCY = 6

const options = JSON.parse(process.argv[2] ?? "") as NodeOptions
const { concurrency = CONCURRENCY, name: node, trap } = options
const settings = { ...SETTINGS, ...options.settings }
let passes = 0

function pass(point: string, task: string): void | Promise<void> {
  if (trap === undefined || point !== trap.point) return
  if (trap.kind === undefined) return spring(trap, task)
  return springOn(trap, trap.kind, task)
}

async function springOn(set: Trap, kind: UpstreamKind, task: string): Promise<void> {
  const head = await storage.readTask(task)
  if (head?.task.dispatch?.channel === `upstream-${kind}`) spring(set, task)
}

function spring({ nth, signal }: Trap, task: string): void {
  passes += 1
  if (passes !== nth) return
  // Written in one call of the system: what goes through the event loop would be lost.
  writeSync(1, `${task}\n`)
  process.kill(process.pid, signal)
}

function say(saying: Saying): void {
  process.send?.(saying)
}

/** What the outside did in a line; what is ours with its stack. */
function write(level: string, { error, ...fields }: LogFields, message: string): void {
  const moment = new Date().toISOString()
  process.stderr.write(
    `${moment} ${level} ${message} ${JSON.stringify(fields)} ${toWords(error)}\n`,
  )
}

function toWords(error: unknown): string {
  if (!isSafelightError(error)) return error === undefined ? "" : inspect(error)
  const { code, message, cause } = error
  const because = cause instanceof Error ? ` (${cause.message})` : ""
  return `${code}: ${message}${because}`
}

const log: Log = {
  info() {},
  warn: (fields, message) => write("warn", fields, message),
  error: (fields, message) => write("error", fields, message),
}

const clock = createFaultyClock()
clock.jump(options.clockOffsetMs ?? 0)
const storage = await openStorage({ place: options.storage, mode: "serve", log })
const artifacts = createFullDisk(createFilesystemArtifacts({ folder: options.artifacts }))
const channels = (["keyed", "lookup", "unkeyed"] as const).map((kind) =>
  createUpstreamChannel({ origin: options.upstream, kind, concurrency, node }),
)
const engine = createEngine({
  storage,
  artifacts,
  channels,
  clock,
  log,
  settings,
  models: ROUND_MODELS.filter(({ id }) => options.isNarrow !== true || id !== PICTURE),
  prices: options.hasNewPrices === true ? NEW_PRICES : OLD_PRICES,
  probe: pass,
  media: createUpstreamMedia(),
  inspector: createFilmInspector(),
})
const webhooks = createNodeWebhooks({ storage, tasks: engine, clock: engine.clock, log })
const access = createAccess({
  storage: withFailingKeys(storage, node),
  service: engine,
  clock,
  settings: { keyCacheMs: KEY_BELIEVED_MS },
})
const handler = createHttpHandler({
  service: engine,
  changes: engine,
  webhooks,
  access,
  clock,
  log,
  publicUrl: () => PUBLIC_URL,
  settings: { streamBeatMs: STREAM_BEAT_MS },
  models: ROUND_MODELS,
})
const server = await createNodeServer({ handler, log })
process.on("message", (order) => obey(order as Order))
process.on("disconnect", () => process.exit(0))
// Before it begins to work: what waits may spring the trap at once.
say({ kind: "ready", url: server.url })
engine.start()
webhooks.start()
const { signingKey: secret } = options
const stopSigning = startSigning({ storage, secret, now: () => clock.now(), log })
// The next node finds its modules compiled; one that is killed would never leave them behind.
flushCompileCache()

let swept: Promise<void> | undefined
const sweeping = setInterval(() => {
  swept ??= sweep().finally(() => (swept = undefined))
}, SWEEP_MS)

/** Whether sweeps are told the time, as where it has to run ahead; else they judge for themselves. */
let isTimeTold = options.sweepsAheadMs !== undefined

async function sweepOnce(): Promise<void> {
  const now = clock.now() + (options.sweepsAheadMs ?? 0)
  await (isTimeTold ? engine.sweep(now) : engine.sweep())
}

async function sweep(): Promise<void> {
  try {
    await sweepOnce()
  } catch (error) {
    log.warn({ error }, "a sweep failed")
  }
}

/** Until every task has ended, or rests until its end; then that end comes early. */
async function drain(): Promise<void> {
  for (;;) {
    const unfinished = await listUnfinished()
    if (unfinished.length === 0) break
    const resting = await Promise.all(unfinished.map((task) => isResting(storage, task)))
    if (resting.every(Boolean)) {
      isTimeTold = true
      clock.jump(Math.max(...unfinished.map(toOffsetMs)))
    }
    await clock.wait(DRAIN_LOOK_MS)
  }
  // What the sweeps between did not come to.
  await sweepOnce()
  say({ kind: "drained" })
}

async function listUnfinished(): Promise<Task[]> {
  const unfinished: Task[] = []
  for (let after: string | null = ""; after !== null;) {
    const page: Awaited<ReturnType<typeof storage.scan>> = await storage.scan({ after, limit: 200 })
    for (const { row } of page.streams) {
      const task = row && fromSnapshot(row.snapshot)
      if (task !== undefined && !isTerminal(task)) unfinished.push(task)
    }
    after = page.next
  }
  return unfinished
}

/** What brings the clock to the task's end. */
function toOffsetMs({ endBy }: Task): number {
  return endBy - Date.now()
}

async function stop(): Promise<void> {
  clearInterval(sweeping)
  await swept
  await stopSigning()
  await server.close({ graceMs: 0 })
  await webhooks.stop({ graceMs: 0 })
  await engine.stop()
  await storage.close()
  process.disconnect?.()
}

function obey(order: Order): void {
  switch (order.kind) {
    case "jump":
      return clock.jump(order.offsetMs)
    case "disk":
      return artifacts.fill(order.isFull)
    case "drain":
      void drain()
      return
    case "tell":
      void webhooks.tellAll().then(() => say({ kind: "told" }))
      return
    case "stop":
      void stop()
  }
}
