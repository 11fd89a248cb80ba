/**
 * A call for every answer that a handler has, by the path's template in the OpenAPI document. The
 * answers themselves are judged elsewhere; a world whose bodies may hold `BODY_BYTES` is needed.
 */
import {
  NO_LIMITS,
  STATED_FINDINGS,
  type AccountSettings,
  type HoldRefusal,
  type Rate,
  type Rejection,
} from "@safelight/core"
import { DOCS_FILES } from "../../../adapters/http/src/openapi/docs-files.ts"
import { until } from "../../support/until.ts"
import { IN_DOUBT } from "./fake-operator-tasks.ts"
import { toFakePosition } from "./fake-changes.ts"
import { outside, putArtifact, taskId, toTask } from "./fake-service.ts"
import { toItem, toStated } from "./fake-statements.ts"
import { toLinkedCalls } from "./linked-calls.ts"
import { addSignInCalls } from "./sign-in-calls.ts"
import { addOperatorCalls, addStreamTooMany } from "./operator-calls.ts"
import { addWebhookCalls } from "./webhook-calls.ts"
import { creation, DOCUMENT, VALID, type Call, type World } from "./worlds.ts"

/** Enough for a prompt that is too long. */
export const BODY_BYTES = 20_000

export interface DescribedCall {
  /** As the document names it. */
  readonly path: string
  readonly method: string
  readonly send: () => Promise<Response>
}

/** What the service does while a call runs: it fails, or rejects what is submitted. */
interface Trouble {
  readonly failure?: unknown
  /** Of the look-up of a key that was not seen before. */
  readonly keyFailure?: unknown
  readonly rejection?: Rejection
  readonly holdRefusal?: HoldRefusal
  readonly isAuditing?: boolean
  readonly isUnsigned?: boolean
  /** The account has as many pages of its statement read as it may. */
  readonly isReading?: boolean
}

type Add = (template: string, path: string, call?: Call, trouble?: Trouble) => void

const TASKS = "/v1/tasks"
const TASK = `${TASKS}/{task_id}`
const TASK_EVENTS = `${TASK}/events`
const TASK_PROOF = `${TASK}/proof`
const TASK_USAGE = `${TASK}/usage`
const USAGE = "/v1/usage"
const STATEMENT = `${USAGE}/statement`
const HOLD = `${TASK}/hold`
const BALANCE = "/v1/balance"
const ME = "/v1/me"
const QUOTES = "/v1/quotes"
const MODEL_LIST = "/v1/models"
const ONE_MODEL = `${MODEL_LIST}/{model_id}`
const ARTIFACTS = `${TASK}/artifacts`
const CONTENT = `${ARTIFACTS}/{artifact_key}/content`
const FILE = "/docs/{file}"
const FAILURES = [new Error("a bug"), outside("storage-unavailable"), outside("overloaded")]

export function toEveryCall(world: World): DescribedCall[] {
  const calls: DescribedCall[] = []
  const limited = `Bearer ${world.keys.add()}`

  function push(template: string, path: string, call: Call, trouble: Trouble): void {
    async function send(): Promise<Response> {
      const { failure, holdRefusal, keyFailure, rejection } = trouble
      world.fake.fail(failure)
      world.keys.fail(keyFailure)
      world.fake.refuseHold(holdRefusal)
      world.fake.refuse(rejection)
      world.proofs.setSigned(trouble.isUnsigned !== true)
      world.operator.setBusy(trouble.isAuditing === true)
      // Believed of each key from its first call on: the clock stands still.
      const isLimited = call.headers?.["authorization"] === limited
      world.accounts.set({ rates: isLimited ? AMPLE : NO_LIMITS.rates })
      const leave = trouble.isReading === true ? await readPages(world) : undefined
      const response = await world.call(path, call)
      await leave?.()
      world.fake.fail(undefined)
      world.keys.fail(undefined)
      world.fake.refuse(undefined)
      world.fake.refuseHold(undefined)
      return response
    }
    calls.push({ path: template, method: call.method ?? "GET", send })
  }
  /** The call without a rate, and once more with one: its headers are on some answers only. */
  function add(template: string, path: string, call: Call = {}, trouble: Trouble = {}): void {
    push(template, path, call, trouble)
    if (!path.startsWith("/v1/") || call.headers?.["authorization"] !== undefined) return
    const headers = { ...call.headers, authorization: limited }
    push(template, path, { ...call, headers }, trouble)
  }
  function read(template: string, path: string, call: Call = {}, trouble: Trouble = {}): void {
    const { headers = {} } = call
    add(template, path, { headers }, trouble)
    add(template, path, { method: "HEAD", headers }, trouble)
  }

  const keys = addKeys(world)
  readTasks(world, keys, read)
  readContent(world, read)
  // Before all streams that the account may have are open.
  addOperatorCalls(keys, add)
  readStreams(world, keys, read)
  addStreamTooMany(add)
  readFiles(read)
  readLog(read)
  create(keys, add)
  hold(world, keys, add)
  cancel(world, keys, add)
  callBack(add)
  addWebhookCalls(keys, add)
  addSignInCalls(add)
  for (const [authorization, rates] of [
    [undefined, NO_LIMITS.rates],
    [limited, AMPLE],
  ] as const) {
    for (const call of toLinkedCalls(world, keys, authorization)) {
      async function send(): Promise<Response> {
        world.accounts.set({ rates })
        return call.send()
      }
      calls.push({ ...call, send })
    }
  }
  const long = `?${"x".repeat(8_192)}`
  for (const [template, methods] of Object.entries(DOCUMENT.paths)) {
    for (const method of Object.keys(methods)) {
      add(template, template.replaceAll(/[{}]/g, "x") + long, { method: method.toUpperCase() })
    }
  }
  return calls
}

/** Those of a world that signs nothing, whose answers no other has. */
export function toUnsignedCalls({ accounts, call, keys }: World): DescribedCall[] {
  accounts.set({ rates: AMPLE }, "account-l")
  const authorizations = ["account-a", "account-l"].map(
    (account) => `Bearer ${keys.add({ account })}`,
  )
  return authorizations.flatMap((authorization) =>
    ["GET", "HEAD"].map((method): DescribedCall => {
      const headers = { authorization }
      const send = () => call(`${STATEMENT}?proofs=true`, { method, headers })
      return { path: STATEMENT, method, send }
    }),
  )
}

/** Authorization headers, one for each way to be turned away. */
function addKeys({ keys, accounts }: World): string[] {
  accounts.set({ suspendedAt: 1 }, "account-s")
  accounts.set({ rates: EXHAUSTED }, "account-r")
  const exhausted = `Bearer ${keys.add({ account: "account-r" })}`
  return [
    "",
    "Basic dXNlcjpwYXNz",
    `Bearer ${keys.add({ revokedAt: 1 })}`,
    `Bearer ${keys.add({ expiresAt: 1 })}`,
    `Bearer ${keys.add({ scopes: [] })}`,
    `Bearer ${keys.add({ account: "account-s" })}`,
    // The first of each policy is let through.
    exhausted,
    exhausted,
  ]
}

function readTasks(world: World, keys: readonly string[], read: Add): void {
  const { fake } = world
  const { id } = putArtifact(fake, new Uint8Array(1_000))
  const queued = fake.put(toTask(taskId(4)))
  const failed = fake.put(toTask(taskId(5), { state: "failed", finishedAt: 1_000 }))
  // First of all: these answers are made once, and then nothing fails any more.
  for (const failure of FAILURES) {
    read(MODEL_LIST, MODEL_LIST, {}, { failure })
    read(ONE_MODEL, `${MODEL_LIST}/${VALID.model}`, {}, { failure })
  }
  // It asks for nothing but the key.
  for (const keyFailure of FAILURES) {
    const headers = { authorization: `Bearer ${world.keys.add()}` }
    read(ME, ME, { headers }, { keyFailure })
  }
  for (const [template, path] of [
    [TASKS, "/v1/tasks?limit=1"],
    [TASK, `/v1/tasks/${queued.id}`],
    [TASK_EVENTS, `/v1/tasks/${queued.id}/events`],
    [TASK_USAGE, `/v1/tasks/${queued.id}/usage`],
    [TASK_PROOF, `/v1/tasks/${queued.id}/proof`],
    [USAGE, "/v1/usage"],
    [STATEMENT, `${STATEMENT}?proofs=true`],
    [BALANCE, BALANCE],
    [ME, ME],
    [MODEL_LIST, MODEL_LIST],
    [ONE_MODEL, `${MODEL_LIST}/${VALID.model}`],
    [ARTIFACTS, `/v1/tasks/${id}/artifacts`],
    [CONTENT, `/v1/tasks/${id}/artifacts/image_1/content`],
  ] as const) {
    for (const authorization of keys) read(template, path, { headers: { authorization } })
    for (const failure of FAILURES) read(template, path, {}, { failure })
    read(template, path)
    read(template, path.replace(/\d{12}/, "404404404404"))
  }
  for (const query of ["limit=0", "limit=101", "limit=x", "status=lost", "other=1&one=2"]) {
    read(TASKS, `/v1/tasks?${query}`)
  }
  readEvents(queued.id, read)
  readProofs(world, queued.id, read)
  for (const query of ["from=-1", "to=253402300800", "from=x", "from=2&to=1", "other=1"]) {
    read(USAGE, `/v1/usage?${query}`)
  }
  readStatements(world, read)
  readModels(read)
  for (const path of [BALANCE, ME, MODEL_LIST]) read(path, `${path}?other=1`)
  for (const path of [MODEL_LIST, ONE_MODEL.replace("{model_id}", VALID.model)]) {
    const template = path === MODEL_LIST ? MODEL_LIST : ONE_MODEL
    read(template, path, { headers: { "if-none-match": "*" } })
  }
  read(TASKS, "/v1/tasks")
  for (const each of [failed, queued]) {
    read(TASK, `/v1/tasks/${each.id}`)
    read(TASK, `/v1/tasks/${each.id}`, { headers: { prefer: "wait=0" } })
    read(ARTIFACTS, `/v1/tasks/${each.id}/artifacts`)
  }
}

function readStatements({ statements }: World, read: Add): void {
  statements.charges.push(...[1, 2, 3].map(toStated))
  const untold = { item: toItem(4), evidence: null }
  const codes = STATED_FINDINGS.map((code) => ({ code, expectedMicros: null }))
  statements.charges.push(...codes.map((finding) => ({ ...untold, finding })))
  read(STATEMENT, STATEMENT)
  read(STATEMENT, `${STATEMENT}?proofs=true`, {}, { isUnsigned: true })
  read(STATEMENT, STATEMENT, {}, { isReading: true })
  for (const query of ["limit=0", "limit=101", "limit=x", "cursor=!", "month=x", "proofs=1"]) {
    read(STATEMENT, `${STATEMENT}?${query}`)
  }
  for (const query of ["from=-1", "to=253402300800", "from=x", "from=2&to=1", "other=1"]) {
    read(STATEMENT, `${STATEMENT}?${query}`)
  }
}

/** Resolves once two pages are read, to what lets them end. */
async function readPages({ call, statements }: World): Promise<() => Promise<unknown>> {
  const release = statements.hold()
  const calls = [call(STATEMENT), call(STATEMENT)]
  await until(() => statements.reading.now === calls.length)
  return () => {
    release()
    return Promise.all(calls)
  }
}

function readModels(read: Add): void {
  for (const query of ["limit=0", "limit=501", "limit=x", "type=picture", "cursor=!"]) {
    read(MODEL_LIST, `${MODEL_LIST}?${query}`)
  }
  read(ONE_MODEL, `${MODEL_LIST}/${VALID.model}?other=1`)
  read(ONE_MODEL, `${MODEL_LIST}/none`)
}

function readProofs({ fake }: World, id: string, read: Add): void {
  const unsigned = fake.put(toTask(IN_DOUBT))
  read(TASK_PROOF, `/v1/tasks/${unsigned.id}/proof`)
  read(TASK_PROOF, `/v1/tasks/${id}/proof?other=1`)
}

function readEvents(id: string, read: Add): void {
  for (const query of ["limit=0", "limit=1001", "limit=x", "cursor=!", "other=1"]) {
    read(TASK_EVENTS, `/v1/tasks/${id}/events?${query}`)
  }
}

/** More than an account may have open, in a world with few. */
export const STREAMS = 8

function readStreams({ changes }: World, keys: readonly string[], read: Add): void {
  changes.add(taskId(7), "submitted")
  changes.add(taskId(8), "submitted")
  const { digits } = toFakePosition(changes.add(taskId(8), "failed", { state: "failed" }))
  const path = `/v1/tasks/${taskId(7)}/stream`
  const streams = [
    [`${TASK}/stream`, path],
    ["/v1/stream", "/v1/stream"],
  ] as const
  for (const [template, target] of streams) {
    for (const authorization of keys) read(template, target, { headers: { authorization } })
    for (const failure of FAILURES) read(template, target, {}, { failure })
    read(template, target)
  }
  for (let count = 0; count < STREAMS; count += 1) read(`${TASK}/stream`, path)
  for (const [template, target] of streams) read(template, target)
  read(`${TASK}/stream`, path.replace(/\d{12}/, "404404404404"))
  const told = { headers: { "last-event-id": `2:${digits}` } }
  read(`${TASK}/stream`, `/v1/tasks/${taskId(8)}/stream`, told)
}

function readContent({ fake }: World, read: Add): void {
  const { id } = putArtifact(fake, new Uint8Array(1_000))
  const expired = putArtifact(fake, new Uint8Array(1), { id: taskId(2), expiresAt: 1 })
  const gone = putArtifact(fake, new Uint8Array(1), { id: taskId(3) })
  fake.bytes.delete(`${gone.id}/image_1`)
  const path = `/v1/tasks/${id}/artifacts/image_1/content`
  for (const other of [expired.id, gone.id, taskId(4)]) read(CONTENT, path.replace(id, other))
  read(CONTENT, path.replace("image_1", "image_9"))
  read(CONTENT, path, {}, { failure: outside("artifacts-unavailable") })
  read(CONTENT, path, { headers: { "if-match": '"other"' } })
  read(CONTENT, path, { headers: { "if-none-match": "*" } })
  for (const range of ["bytes=0-9", "bytes=0-0,-1", "bytes=2000-"]) {
    read(CONTENT, path, { headers: { range } })
  }
}

function readFiles(read: Add): void {
  const kept = { headers: { "if-none-match": "*" } }
  const codings = ["identity", "gzip"].map((coding) => ({ headers: { "accept-encoding": coding } }))
  for (const path of ["/healthz", "/readyz"]) read(path, path)
  for (const path of ["/openapi.json", "/docs"]) {
    for (const call of codings) read(path, path, call)
    read(path, path, kept)
  }
  for (const { name } of DOCS_FILES) for (const call of codings) read(FILE, `/docs/${name}`, call)
  read(FILE, "/docs/start.js", kept)
  read(FILE, "/docs/package.json")
}

function readLog(read: Add): void {
  const checkpoint = "/log/checkpoint"
  const tile = "/log/tile/{tile}"
  read("/.well-known/safelight-log.json", "/.well-known/safelight-log.json")
  read(checkpoint, checkpoint)
  read(checkpoint, checkpoint, {}, { isUnsigned: true })
  read(tile, "/log/tile/0/000.p/2")
  read(tile, "/log/tile/0/001")
  for (const failure of FAILURES) {
    read(checkpoint, checkpoint, {}, { failure })
    read(tile, "/log/tile/0/000.p/2", {}, { failure })
  }
}

function hold({ fake }: World, keys: readonly string[], add: Add): void {
  const { id } = putArtifact(fake, new Uint8Array(1_000))
  const path = `/v1/tasks/${id}/hold?until=253402300799`
  const call = { method: "POST" }
  for (const authorization of keys) add(HOLD, path, { ...call, headers: { authorization } })
  for (const failure of FAILURES) add(HOLD, path, call, { failure })
  for (const code of ["not-finished", "failed", "expired", "not-allowed"] as const) {
    add(HOLD, path, call, { holdRefusal: { code } })
  }
  add(HOLD, path, call, { holdRefusal: { code: "too-long", latestAt: 1_000 } })
  add(HOLD, path, call)
  add(HOLD, path, { ...call, body: "{}" })
  add(HOLD, path.replace(id, taskId(404)), call)
  for (const query of ["", "?until=x", "?until=-1", "?until=253402300800", "?until=1&other=1"]) {
    add(HOLD, `/v1/tasks/${id}/hold${query}`, call)
  }
}

function callBack(add: Add): void {
  const template = "/v1/channels/{channel}/callback/{key}"
  const call = { method: "POST", body: "{}" }
  for (const key of ["taken", "forged", "unknown"]) {
    add(template, `/v1/channels/fal/callback/${key}`, call)
  }
  const large = { method: "POST", body: "x".repeat(BODY_BYTES + 1) }
  add(template, "/v1/channels/fal/callback/taken", large)
  for (const failure of FAILURES) {
    add(template, "/v1/channels/fal/callback/taken", call, { failure })
  }
}

function create(keys: readonly string[], add: Add): void {
  const { headers, ...call } = creation()
  for (const path of [TASKS, QUOTES]) {
    for (const authorization of keys) {
      add(path, path, { ...call, headers: { ...headers, authorization } })
    }
    for (const failure of FAILURES) add(path, path, creation(), { failure })
    for (const own of [{ "content-type": "text/plain" }, { "content-encoding": "gzip" }]) {
      add(path, path, { ...call, headers: { ...headers, ...own } })
    }
    for (const body of BODIES) add(path, path, creation(body))
  }
  add(TASKS, TASKS, creation(), { failure: outside("outcome-unknown") })
  for (const rejection of REJECTIONS) add(TASKS, TASKS, creation(), { rejection })
  for (const own of [
    { "idempotency-key": '"' },
    { "safelight-label": "none" },
    { "safelight-hops": "99" },
    { "safelight-max-cost-micros": "x" },
    { "safelight-quote": "x" },
    { prefer: "wait=0" },
    // The second is a replay.
    { "idempotency-key": "one" },
  ]) {
    add(TASKS, TASKS, { ...call, headers: { ...headers, ...own } })
  }
}

function cancel({ fake }: World, keys: readonly string[], add: Add): void {
  const template = `${TASK}/cancel`
  const path = `/v1/tasks/${fake.put(toTask(taskId(6))).id}/cancel`
  for (const authorization of keys) {
    add(template, path, { method: "POST", headers: { authorization } })
  }
  for (const failure of FAILURES) add(template, path, { method: "POST" }, { failure })
  for (const other of [path, path.replace(/\d{12}/, "404404404404"), `${path}?now=1`]) {
    add(template, other, { method: "POST" })
  }
  add(template, path, { method: "POST", body: "{}" })
}

const REJECTIONS: readonly Rejection[] = [
  { code: "budget-exceeded" },
  { code: "max-cost-exceeded", costMicros: 2, maxCostMicros: 1 },
  { code: "quote-expired" },
  { code: "model-unavailable", model: "m", reason: "no_channel" },
  { code: "too-many-unfinished-tasks" },
  { code: "idempotency-key-reused" },
  { code: "idempotency-key-in-use" },
]

const AMPLE = toRates({ requests: 1_000_000, windowMs: 1_000 })
const EXHAUSTED = toRates({ requests: 1, windowMs: 3_600_000 })

function toRates(rate: Rate): AccountSettings["rates"] {
  return { create: rate, read: rate, content: rate }
}

const EDIT = "vendor-b/imagine-image/v2.0/edit"
const URLS = ["https://media.example/a"]

const BODIES: readonly unknown[] = [
  VALID,
  "{",
  '{"model":1,"model":2}',
  "[".repeat(33),
  "x".repeat(BODY_BYTES + 1),
  { ...VALID, model: "none" },
  { model: VALID.model },
  // Several faults at once, told as details.
  { ...VALID, parameters: { prompt: 1, size: "huge", unknown: 1 } },
  { ...VALID, parameters: { prompt: "a", other: 1 } },
  { ...VALID, parameters: { prompt: "a", size: "huge" } },
  { ...VALID, parameters: { prompt: "" } },
  { ...VALID, parameters: { prompt: "x".repeat(10_001) } },
  ...[
    { image_urls: ["not a url"] },
    { image_urls: ["ftp://media.example/a"] },
    { image_urls: ["data:text/html;base64,AAAA"] },
    { image_urls: [] },
    { image_urls: Array.from({ length: 6 }, () => URLS[0]) },
    { image_urls: URLS, count: 0 },
    { image_urls: URLS, count: 5 },
  ].map((parameters) => ({ model: EDIT, parameters: { prompt: "", ...parameters } })),
]
