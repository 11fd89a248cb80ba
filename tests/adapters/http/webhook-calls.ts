/** A call for every answer about webhooks. */
import { outside } from "./fake-service.ts"
import type { Call } from "./worlds.ts"

interface Trouble {
  readonly failure?: unknown
}

type Add = (template: string, path: string, call?: Call, trouble?: Trouble) => void

const ALL = "/v1/webhooks"
const ONE = "/v1/webhooks/{webhook_id}"
const DELIVERIES = `${ONE}/deliveries`
const DELIVERY = `${DELIVERIES}/{delivery_id}`
const FAILURES = [new Error("a bug"), outside("storage-unavailable"), outside("overloaded")]
const JSON_TYPE = { "content-type": "application/json" }
const URL = "https://hooks.example/"

interface Operation {
  readonly template: string
  readonly method: "DELETE" | "GET" | "HEAD" | "PATCH" | "POST"
  /** A good body, if there is one. */
  readonly body?: object
}

const OPERATIONS: readonly Operation[] = [
  { template: ALL, method: "GET" },
  { template: ALL, method: "POST", body: { url: URL } },
  { template: ONE, method: "GET" },
  { template: ONE, method: "PATCH", body: { enabled: true } },
  { template: ONE, method: "DELETE" },
  { template: `${ONE}/rotate`, method: "POST" },
  { template: `${ONE}/test`, method: "POST" },
  { template: `${ONE}/replay`, method: "POST" },
  { template: DELIVERIES, method: "GET" },
  { template: DELIVERY, method: "GET" },
  { template: `${DELIVERY}/replay`, method: "POST" },
]

/** `keys` are Authorization headers, one for each way to be turned away. */
export function addWebhookCalls(keys: readonly string[], add: Add): void {
  for (const operation of OPERATIONS) {
    addCommon(operation, keys, add)
    if (operation.method !== "GET") continue
    // HEAD is described with it.
    addCommon({ ...operation, method: "HEAD" }, keys, add)
  }
  for (const query of ["limit=0", "limit=101", "limit=x", "status=lost", "cursor=!", "limit=1"]) {
    const target = toPath(DELIVERIES)
    for (const method of ["GET", "HEAD"]) add(DELIVERIES, `${target}?${query}`, { method })
  }
  for (const [path, query] of [
    ["rotate", "overlap_seconds="],
    ["replay", "since="],
  ]) {
    for (const value of ["x", "-1", "999999999999"]) {
      const template = `${ONE}/${path}`
      add(template, `${toPath(template)}?${query}${value}`, { method: "POST" })
    }
  }
  for (const template of [`${ONE}/test`, `${ONE}/replay`, `${DELIVERY}/replay`]) {
    for (const id of ["we_2", "we_3"]) {
      add(template, toPath(template).replace("we_1", id), { method: "POST" })
    }
  }
  const full = JSON.stringify({ url: URL, description: "one too many" })
  add(ALL, ALL, { method: "POST", headers: JSON_TYPE, body: full })
}

function addCommon({ template, method, body }: Operation, keys: readonly string[], add: Add): void {
  const path = toPath(template)
  const headers = body === undefined ? {} : JSON_TYPE
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const call = { method, headers, ...sent }
  for (const authorization of keys) {
    add(template, path, { ...call, headers: { ...headers, authorization } })
  }
  for (const failure of FAILURES) add(template, path, call, { failure })
  add(template, path, call)
  add(template, path.replace("we_1", "we_9"), call)
  if (body !== undefined) addBodies(template, { method, headers }, add)
  else {
    add(template, `${path}?other=1`, call)
    if (method !== "GET" && method !== "HEAD") add(template, path, { ...call, body: "{}" })
  }
}

function addBodies(template: string, call: Call, add: Add): void {
  const path = toPath(template)
  for (const body of [
    "{",
    '{"url":"a","url":"b"}',
    "[".repeat(33),
    "x".repeat(70_000),
    "[]",
    {},
    { url: URL, other: 1 },
    { url: 1 },
    { url: "ftp://hooks.example/" },
    { url: "" },
    { url: `${URL}${"x".repeat(8_192)}` },
    { url: URL, events: [] },
    { url: URL, events: ["task.lost"] },
  ]) {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    add(template, path, { ...call, body: text })
  }
  for (const headers of [
    { "content-type": "text/plain" },
    { ...JSON_TYPE, "content-encoding": "gzip" },
  ]) {
    add(template, path, { ...call, headers, body: "{}" })
  }
}

function toPath(template: string): string {
  return template.replace("{webhook_id}", "we_1").replace("{delivery_id}", "msg_1")
}
