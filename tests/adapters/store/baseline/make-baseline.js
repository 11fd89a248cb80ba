/**
 * Makes the data that every release from 0.1 on must open: one SQLite folder and one PostgreSQL database, each
 * with its artifacts. It is run at commit 198b4614 alone, with the code of that commit, and is kept to be
 * read: what it made is what counts. It is JavaScript, so that later commits need not compile it.
 *
 *     tsx --conditions=@safelight/source make-baseline.js sqlite
 *     tsx --conditions=@safelight/source make-baseline.js postgres URL   (an empty database; pg_dump in the PATH)
 *
 * A story of three weeks is played on a manual clock: one engine for each day on which something happens. The
 * last one still runs when its database is copied, as after a loss of power.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { createAccess, createKey, rotateKey } from "@safelight/access"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { SILENT_LOG } from "@safelight/core"
import { checkDeployment, createEngine } from "@safelight/engine"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createManualClock } from "@safelight/testkit"
import { createWebhooks } from "@safelight/webhooks"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const FILM = "vendor-c/video-2.5/reference-to-video"
/** A picture of one pixel; what follows its end tells pictures apart. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const [kind, url] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), "safelight-baseline-"))
const opened =
  kind === "sqlite" ? await createSqliteStorage({ folder }) : await createPostgresStorage({ url })
// Without a clock of its own: the story's moments are the manual clock's.
const { readClock: _ownClock, ...storage } = opened
const artifacts = createFilesystemArtifacts({ folder: join(folder, "artifacts") })

/** What a channel does is said by the first word of the prompt. */
const ANSWERS = {
  make: (request) => completed(request),
  run: () => ({ kind: "accepted", operation: { id: "op-run" } }),
  hang: () => new Promise(() => {}),
  lose: () => {
    throw new Error("the answer was lost")
  },
  defer: () => ({ kind: "not-created", reason: "provider_failed", retryAfterMs: 30_000 }),
  forbid: () => ({
    kind: "refused",
    code: "content_policy_violation",
    providerWords: "we don't paint this",
  }),
  reject: () => ({
    kind: "refused",
    code: "provider_rejected",
    providerWords: "half of it was made",
    billed: { images: 1, outputVideoMs: 0 },
    cost: { amount: 0.01, unit: "usd" },
  }),
  empty: () => ({ kind: "refused", code: "no_output", billed: "maybe" }),
}

function toWord({ parameters }) {
  return String(parameters.prompt).split(" ")[0]
}

function completed({ model, parameters, upstreamKey }) {
  const count = parameters.count ?? 1
  const isFilm = model === FILM
  const outputs = Array.from({ length: count }, (_, index) => ({
    mimeType: isFilm ? "video/mp4" : "image/png",
    ...(isFilm && { durationMs: 5_040 }),
    async *open() {
      yield Buffer.concat([Buffer.from(PIXEL, "base64"), Buffer.from(`${upstreamKey} ${index}`)])
    },
  }))
  return {
    kind: "completed",
    operation: { id: `op-${upstreamKey}` },
    outputs,
    cost: { amount: 0.004, unit: "usd" },
  }
}

function toChannel(name, submission, models) {
  return {
    name,
    models,
    submission,
    concurrency: 100,
    submitTimeoutMs: 20_000,
    submit: async (request) => ANSWERS[toWord(request)](request),
    poll: async () => ({ kind: "running", progress: 40, pollAfterMs: 60_000 }),
    cancel: async () => "stopped",
    accepts: (request) => {
      const isMine = (toWord(request) === "lose") === (name === "unkeyed")
      return isMine || { kind: "ineligible", reason: "it is the other one's" }
    },
  }
}

const KEYED = { kind: "keyed", keyTtlMs: DAY_MS }

/** The moment that ends the URL's path is its length: `https://media.example/6000`. */
const media = {
  open: async ({ url: from }) => ({ kind: "video", mimeType: "video/mp4", body: once(from) }),
}
const inspector = {
  async inspect({ bytes, read }) {
    const text = Buffer.from(await read(0, bytes)).toString()
    return {
      kind: "video",
      mimeType: "video/mp4",
      durationMs: Number(/[/](\d+)$/.exec(text)?.[1] ?? 5_040),
    }
  },
  close: async () => {},
}

async function* once(text) {
  yield Buffer.from(text)
}

function createDay(iso) {
  const clock = createManualClock({ now: Date.parse(iso) })
  const engine = createEngine({
    storage,
    artifacts,
    channels: [
      toChannel("painter", KEYED, [PICTURE, EDIT, FILM]),
      toChannel("unkeyed", { kind: "unkeyed" }, [FILM]),
    ],
    publicUrl: "https://safelight.example",
    settings: { graceMs: 1, maxAttempts: 3, idlePollMs: 1_000 },
    media,
    inspector,
    clock,
    log: SILENT_LOG,
    node: { host: "baseline", pid: 1, version: "0.1.0", startedAt: clock.now() },
  })
  engine.start()
  return { clock, engine }
}

/** Moves the clock on, and gives threads and servers the time to answer, until it holds. */
async function until({ clock }, holds, what = "") {
  for (let round = 0; round < 2_000; round += 1) {
    if (await holds()) return
    await clock.advance(100)
    await delay(5)
  }
  throw new Error(`it never came: ${holds} ${what}`)
}

const tasks = {}

async function submit(day, name, request) {
  const { account = "ada", model = PICTURE, parameters, ...more } = request
  const result = await day.engine.submit({ account, model, parameters, ...more })
  if (result.kind === "rejected") throw new Error(`${name}: ${result.rejection.code}`)
  tasks[name] = { account, id: result.task.id }
  return result.task.id
}

async function untilType(day, name, type) {
  await until(
    day,
    async () => {
      const events = await day.engine.listEvents(tasks[name])
      return events.some((event) => event.type === type)
    },
    `${name} ${type}`,
  )
}

// 3 November: what will have expired.
const first = createDay("2026-11-03T09:00:00Z")
const accounts = {
  ada: { budgetMicros: 90_000_000, unfinishedTasks: 100, maxRetentionMs: 60 * DAY_MS, weight: 3 },
  ben: {},
  cleo: { retentionMs: 36 * HOUR_MS, signsContentUrls: true, runningTasks: 20 },
  dan: {
    suspendedAt: Date.parse("2026-11-03T09:30:00Z"),
    rates: { create: { requests: 10, windowMs: 60_000 }, read: null, content: null },
  },
}
for (const [id, settings] of Object.entries(accounts)) {
  await storage.setAccount({ id, now: first.clock.now(), settings })
}
const checked = await checkDeployment({ storage, artifacts, clock: first.clock })
if (checked.kind !== "own") throw new Error("the deployment is not its own")
await storage.agreeOnSecret("5c".repeat(32))
const keys = {
  active: await createKey({ keys: storage, account: "ada", now: first.clock.now() }),
  revoked: await createKey({ keys: storage, account: "ada", now: first.clock.now() }),
  expired: await createKey({
    keys: storage,
    account: "ben",
    now: first.clock.now(),
    expiresAt: first.clock.now() + DAY_MS,
    scopes: ["tasks:read"],
  }),
  rotated: await createKey({ keys: storage, account: "ben", now: first.clock.now() }),
  operator: await createKey({
    keys: storage,
    account: "ops",
    now: first.clock.now(),
    scopes: ["admin"],
  }),
}
await storage.revokeKey({ id: keys.revoked.id, revokedAt: first.clock.now() + 1_000 })
await submit(first, "expiredAndRemoved", { parameters: { prompt: "make a lighthouse" } })
await submit(first, "expiredEdit", {
  account: "ben",
  model: EDIT,
  parameters: {
    prompt: "make two of it",
    image_urls: ["https://media.example/picture.png"],
    count: 2,
  },
})
await submit(first, "failedLongAgo", { parameters: { prompt: "forbid this" } })
await untilType(first, "expiredAndRemoved", "succeeded")
await untilType(first, "expiredEdit", "succeeded")
await untilType(first, "failedLongAgo", "failed")
await first.engine.stop()

// 18 November: they expire; a day later their bytes go.
const second = createDay("2026-11-18T12:00:00Z")
await second.engine.sweep()
await second.engine.stop()
const third = createDay("2026-11-22T12:00:00Z")
await third.engine.sweep()
await submit(third, "expiredWithBytes", { account: "cleo", parameters: { prompt: "make fog" } })
await untilType(third, "expiredWithBytes", "succeeded")
await submit(third, "timedOut", { account: "ben", parameters: { prompt: "run for ever" } })
await untilType(third, "timedOut", "accepted")
await submit(third, "neverKnown", {
  account: "ben",
  model: FILM,
  parameters: { prompt: "lose the answer", duration: 5 },
})
await untilType(third, "neverKnown", "doubted")
await third.engine.stop()

// 24 November: the day of the copy.
const last = createDay("2026-11-24T11:30:00Z")
await until(last, async () => {
  await last.engine.sweep()
  const all = await Promise.all(
    ["timedOut", "neverKnown", "expiredWithBytes"].map((name) => last.engine.findTask(tasks[name])),
  )
  return all.map(({ state }) => state).join() === "failed,failed,succeeded.expired"
})
await storage.pauseChannel({ channel: "retired", pausedAt: last.clock.now() - DAY_MS })
const access = createAccess({ storage, service: last.engine, clock: last.clock })
await access.rateLimit(await storage.findAccount("dan"), "create")
const rotated = await rotateKey({
  keys: storage,
  id: keys.rotated.id,
  now: last.clock.now(),
  graceMs: HOUR_MS,
  expiresAt: 0,
})
keys.successor = rotated.key

/** Endpoints, by what their receiver does. */
const statuses = { "/takes": 200, "/fails": 500, "/gone": 410, "/off": 200 }
const webhooks = createWebhooks({
  storage,
  tasks: last.engine,
  sender: {
    check: () => undefined,
    send: async (request) => ({
      kind: "answered",
      status: statuses[new URL(request.url).pathname],
      body: "as the receiver has it",
    }),
    close: async () => {},
  },
  toTaskText: ({ id, state }) => JSON.stringify({ task_id: id, state }),
  clock: last.clock,
  log: SILENT_LOG,
})
const endpoints = {}
for (const path of Object.keys(statuses)) {
  const made = await webhooks.createWebhook({
    account: "ada",
    url: `https://hooks.example${path}`,
    description: `one that ${path.slice(1)}`,
  })
  endpoints[path] = { account: "ada", id: made.webhook.id, secret: made.secret }
}
await webhooks.rotateWebhook({ ...endpoints["/takes"], overlapMs: 7 * DAY_MS })
webhooks.start()

const quoted = await last.engine.quote({
  account: "ada",
  model: PICTURE,
  parameters: { prompt: "make a quoted one" },
})
await submit(last, "available", {
  parameters: { prompt: "make a harbour", size: "square" },
  labels: { project: "spring", customer: "7" },
  idempotency: { key: "once", fingerprint: "ab".repeat(32) },
})
await submit(last, "quoted", {
  parameters: { prompt: "make a quoted one" },
  quote: quoted.quote,
  maxCostMicros: quoted.quote.maxCostMicros,
})
await submit(last, "counted", {
  model: EDIT,
  parameters: {
    prompt: "make three of it",
    image_urls: ["https://media.example/picture.png"],
    count: 3,
    resolution: "2k",
  },
  labels: { project: "spring" },
})
await submit(last, "film", {
  model: FILM,
  parameters: {
    prompt: "make waves",
    duration: 5,
    video_urls: ["https://media.example/1500", "https://media.example/7000"],
  },
})
await submit(last, "held", { parameters: { prompt: "make one to keep" } })
await submit(last, "erased", {
  parameters: { prompt: "make something private" },
  labels: { secret: "yes" },
  idempotency: { key: "private", fingerprint: "cd".repeat(32) },
})
await submit(last, "forbidden", { parameters: { prompt: "forbid this" } })
await submit(last, "billedFailure", { parameters: { prompt: "reject this" } })
await submit(last, "withoutOutput", { account: "cleo", parameters: { prompt: "empty" } })
for (const name of ["available", "quoted", "counted", "film", "held", "erased"]) {
  await untilType(last, name, "succeeded")
}
for (const name of ["forbidden", "billedFailure", "withoutOutput"]) {
  await untilType(last, name, "failed")
}
await last.engine.holdArtifacts({ ...tasks.held, until: last.clock.now() + 45 * DAY_MS })
await last.engine.erase(tasks.erased)
await submit(last, "erasedQueued", { parameters: { prompt: "defer" } })
await untilType(last, "erasedQueued", "deferred")
await last.engine.erase(tasks.erasedQueued)
await submit(last, "cancelledRunning", { account: "ben", parameters: { prompt: "run a while" } })
await untilType(last, "cancelledRunning", "accepted")
await last.engine.cancel(tasks.cancelledRunning)
await submit(last, "cancelledQueued", { account: "ben", parameters: { prompt: "defer" } })
await untilType(last, "cancelledQueued", "deferred")
await last.engine.cancel(tasks.cancelledQueued)
// The last of each kind before the copy: none of them ends.
await submit(last, "running", {
  parameters: { prompt: "run on" },
  idempotency: { key: "still-running", fingerprint: "ef".repeat(32) },
})
await submit(last, "runningFilm", {
  account: "ben",
  model: FILM,
  parameters: { prompt: "run on", duration: 8, video_urls: ["https://media.example/6000"] },
})
await submit(last, "doubtful", { model: FILM, parameters: { prompt: "lose it", duration: 4 } })
await submit(last, "dispatching", { parameters: { prompt: "hang" } })
await untilType(last, "running", "progressed")
await untilType(last, "runningFilm", "accepted")
await untilType(last, "doubtful", "doubted")
await untilType(last, "dispatching", "dispatched")
const held = await last.engine.findTask(tasks.held)
await storage.raiseLinkEpoch({ kind: "artifact", task: held.id, key: held.artifacts[0].key })
await storage.raiseLinkEpoch({ kind: "account", account: "cleo", now: last.clock.now() })
const { artifacts: countedRows } = await last.engine.findArtifacts(tasks.counted)
const { token } = await access.createLink({
  account: "ada",
  artifact: countedRows[0],
  now: last.clock.now(),
})
// Deliveries in every state: what was taken, what is tried again, what was given up.
await until(last, async () => {
  const pages = await Promise.all(
    Object.values(endpoints).map((name) => webhooks.listDeliveries({ ...name, limit: 100 })),
  )
  const states = pages.flatMap(({ deliveries }) => deliveries.map(({ state }) => state))
  return ["pending", "delivered", "failed"].every((state) => states.includes(state))
})
await webhooks.updateWebhook({ ...endpoints["/off"], isEnabled: false })
await webhooks.testWebhook(endpoints["/fails"])
await submit(last, "deferred", { account: "cleo", parameters: { prompt: "defer" } })
await untilType(last, "deferred", "deferred")
await storage.pauseChannel({ channel: "painter", pausedAt: last.clock.now() })
await until(last, async () => last.clock.now() % 10_000 === 0)
await submit(last, "queued", { parameters: { prompt: "make one later" } })
await submit(last, "queuedEdit", {
  account: "ben",
  model: EDIT,
  parameters: { prompt: "make it later", image_urls: ["https://media.example/a.png"], count: 2 },
})

/** What a release must tell of each task, and what the artifacts' bytes are. */
async function describe(name) {
  const { account, id } = tasks[name]
  const task = await last.engine.findTask({ account, id })
  const events = await last.engine.listEvents({ account, id })
  const found = await last.engine.findArtifacts({ account, id })
  return {
    account,
    id,
    state: task.state,
    chargeMicros: task.chargeMicros,
    error: task.error?.code ?? null,
    events: events.map(({ type }) => type),
    artifacts: found.artifacts.map(({ key, sha256, locator }) => ({ key, sha256, locator })),
  }
}

const described = {}
for (const name of Object.keys(tasks)) described[name] = await describe(name)

function readFiles(at) {
  return Object.fromEntries(
    readdirSync(at, { recursive: true })
      .map((name) => join(at, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => [relative(folder, path), readFileSync(path).toString("base64")]),
  )
}

async function copyDatabase() {
  if (kind === "postgres") {
    const flags = ["--inserts", "--rows-per-insert=50", "--no-owner", "--no-privileges"]
    const text = execFileSync("pg_dump", [...flags, url], { encoding: "utf8" })
    return { sql: text.replaceAll(/^(--.*|\\(un)?restrict .*)?\n/gm, "") }
  }
  const database = new DatabaseSync(join(folder, "safelight.db"))
  await backup(database, join(folder, "copy.db"))
  database.close()
  return { database: readFileSync(join(folder, "copy.db")).toString("base64") }
}

const made = {
  now: last.clock.now(),
  keys: Object.fromEntries(Object.entries(keys).map(([name, { key }]) => [name, key])),
  link: { access: token, task: countedRows[0].task, key: countedRows[0].key },
  endpoints: Object.fromEntries(
    await Promise.all(
      Object.entries(endpoints).map(async ([path, { account, id, secret }]) => {
        const { deliveries } = await webhooks.listDeliveries({ account, id, limit: 100 })
        const states = deliveries.map(({ message, state }) => ({ message, state }))
        return [path, { account, id, secret, deliveries: states }]
      }),
    ),
  ),
  tasks: described,
  artifacts: readFiles(join(folder, "artifacts")),
  ...(await copyDatabase()),
}
const file = join(import.meta.dirname, `${kind}.json.gz`)
writeFileSync(file, gzipSync(JSON.stringify(made), { level: 9 }))
console.log(`${file}: ${statSync(file).size} bytes, now ${made.now}`)
for (const [name, task] of Object.entries(described))
  console.log(name, task.state, task.error, task.events.join(" "))
process.exit(0)
