/**
 * The task API and the console over a storage in memory with 10,000 tasks, whose engine is not started. What
 * happens to them is made up, so that it happens as often as the parent says (`{ perS }`, events a second): every
 * fourth event is of a new task, the others bring one of the newest further. Asked what was "told", it answers with
 * the count of events and the newest task.
 */
import { readdir, readFile } from "node:fs/promises"
import { createAccess, createKey } from "@safelight/access"
import { consoleFolder } from "@safelight/console"
import {
  GENESIS_HASH,
  toHashDigits,
  type ChangePosition,
  type ChangeService,
  type PositionedChange,
  type Task,
  type WatchRequest,
} from "@safelight/core"
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createMemoryArtifacts, createMemoryStorage } from "@safelight/testkit"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { announce } from "./announce.ts"

const TASKS = Number(process.argv[2])
const account = "looked-at"
const FEED = "0c1e0a8e-7e0e-4c66-9d1c-2f7d3f3d7f10"
/** A reader that is further behind has missed something. */
const KEPT = 20_000
const PAGE = 200
/** Events are told this often, so that their rate does not depend on a timer's grain. */
const TELL_MS = 5

const storage = createMemoryStorage()
const artifacts = createMemoryArtifacts({ keep: 1 })
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
const newest: Task[] = []
for (let count = 0; count < TASKS; count += 1) await submit()

async function submit(): Promise<void> {
  const result = await engine.submit({ ...SAMPLE_REQUEST, account })
  if (result.kind !== "submitted") throw new Error(result.kind)
  newest.push(result.task)
  if (newest.length > 100) newest.shift()
}

const kept: PositionedChange[] = []
const watches = new Set<WatchRequest>()
let told = 0
let made = 0

function tell(): void {
  const isNew = told % 4 === 0
  const known = newest[(told * 7) % newest.length]
  if (known === undefined) throw new Error("there are no tasks")
  const task: Task = isNew ? toNew(known) : toFurther(known)
  if (isNew) {
    newest.push(task)
    newest.shift()
  }
  told += 1
  const { version } = task
  const type = isNew ? "submitted" : "progressed"
  const hash = GENESIS_HASH
  kept.push({ task, hash, version, type, at: Date.now(), position: toPosition(told) })
  if (kept.length > KEPT) kept.splice(0, KEPT / 2)
}

/** No event is ever lost here. */
function toPosition(position: number): ChangePosition {
  return { feed: FEED, position, digits: toHashDigits(GENESIS_HASH) }
}

/** Ids rise, as those of the engine do. */
function toNew(like: Task): Task {
  made += 1
  const time = Date.now().toString(16).padStart(12, "0")
  const rest = (made % 0x1000).toString(16).padStart(3, "0")
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7${rest}-8000-${made.toString(16).padStart(12, "0")}`
  return {
    ...like,
    id,
    state: "queued",
    attempt: 0,
    progress: 0,
    version: 1,
    createdAt: Date.now(),
  }
}

function toFurther(task: Task): Task {
  const progress = Math.min(100, task.progress + 5)
  const further: Task = {
    ...task,
    state: "running",
    attempt: 1,
    progress,
    version: task.version + 1,
  }
  newest[newest.indexOf(task)] = further
  return further
}

let perS = 0
let due = 0
let lookedAt = performance.now()
setInterval(() => {
  const now = performance.now()
  due += (perS * (now - lookedAt)) / 1_000
  lookedAt = now
  if (due < 1) return
  for (; due >= 1; due -= 1) tell()
  for (const { onNews } of watches) onNews()
}, TELL_MS)

const changes: ChangeService = {
  listChanges: async () => ({ kind: "changes", changes: [] }),
  findTaskAt: async () => undefined,
  async watchChanges(request) {
    watches.add(request)
    return { position: toPosition(told), end: () => void watches.delete(request) }
  },
  async readChanges({ after }) {
    const first = kept[0]?.position.position ?? told + 1
    if (after.feed !== FEED || after.position < first - 1) {
      return { kind: "lost", position: toPosition(told) }
    }
    const from = after.position - first + 1
    const page = kept.slice(from, from + PAGE)
    const next = toPosition(after.position + page.length)
    return { kind: "changes", changes: page, next }
  },
}

const files = await readdir(consoleFolder, { recursive: true, withFileTypes: true })
const root = consoleFolder.pathname
const names = files
  .filter((file) => file.isFile())
  .map(({ name, parentPath }) => `${parentPath}/${name}`.replaceAll("//", "/").slice(root.length))
const { key } = await createKey({ keys: storage, account, now: Date.now() })
const handler = createHttpHandler({
  service: engine,
  changes,
  access: createAccess({ storage, service: engine, clock: systemClock }),
  clock: systemClock,
  publicUrl: () => url,
  consoleFiles: { names, read: (name) => readFile(new URL(name, consoleFolder)) },
})
const { url } = await createNodeServer({ handler })
process.on("message", (message) => {
  if (message === "told") process.send?.({ told, newest: newest.at(-1)?.id })
  if (isRate(message)) ({ perS } = message)
})
announce({ url, key })

function isRate(message: unknown): message is { readonly perS: number } {
  return typeof message === "object" && message !== null && "perS" in message
}
