/**
 * The order of checks (http-decisions §1) on the real service: a request that two checks would
 * refuse is refused by the earlier one, whichever two they are. Each request is of an account of
 * its own, whose limits are set once what has to be there before them is there.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createApiKeyParts, formatApiKey } from "@safelight/access"
import {
  API_KEY_SCOPES,
  type AccountSettings,
  type ApiKeyScope,
  type Storage,
} from "@safelight/core"
import { sha256, systemRandomness } from "@safelight/engine"
import { createInProcessService, type InProcessService } from "../in-process-service.ts"

const BODY_BYTES = 1_000
const ONCE = { requests: 1, windowMs: 3_600_000 }

/** A creation, right until checks are failed. */
interface Draft {
  method: string
  path: string
  hasKey: boolean
  scopes: readonly ApiKeyScope[]
  settings: Partial<AccountSettings>
  headers: Record<string, string>
  body: Record<string, unknown>
  /** Behind the body's JSON. */
  tail: string
  /** Whether its idempotency key stands for another request already. */
  isReused: boolean
}

function toDraft(): Draft {
  return {
    method: "POST",
    path: "/v1/tasks",
    hasKey: true,
    scopes: API_KEY_SCOPES,
    settings: {},
    headers: { "content-type": "application/json" },
    body: { model: "vendor-a/v4.1/flash/text-to-image", parameters: { prompt: "a lighthouse" } },
    tail: "",
    isReused: false,
  }
}

/** By the code that it is refused with, in order: how a draft comes to fail the check. */
const CHECKS: readonly (readonly [code: string, fail: (draft: Draft) => void])[] = [
  ["route_not_found", (draft) => (draft.path = "/v1/task")],
  ["method_not_allowed", (draft) => (draft.method = "PUT")],
  ["missing_api_key", (draft) => (draft.hasKey = false)],
  ["account_suspended", ({ settings }) => Object.assign(settings, { suspendedAt: 1 })],
  ["insufficient_scope", (draft) => (draft.scopes = ["tasks:read"])],
  [
    "rate_limit_exceeded",
    ({ settings }) =>
      Object.assign(settings, { rates: { create: ONCE, read: null, content: null } }),
  ],
  ["unsupported_media_type", ({ headers }) => (headers["content-type"] = "text/plain")],
  ["unsupported_content_encoding", ({ headers }) => (headers["content-encoding"] = "gzip")],
  ["invalid_idempotency_key", ({ headers }) => (headers["idempotency-key"] = '"')],
  ["request_too_large", (draft) => (draft.tail += " ".repeat(BODY_BYTES))],
  ["invalid_json", (draft) => (draft.tail += "}")],
  ["unknown_parameter", ({ body }) => (body["prompt"] = "a lighthouse")],
  ["model_not_found", ({ body }) => (body["model"] = "vendor-a/v4.1")],
  ["string_below_min_length", ({ body }) => (body["parameters"] = { prompt: "" })],
  ["idempotency_key_reused", (draft) => (draft.isReused = true)],
  ["insufficient_balance", ({ settings }) => Object.assign(settings, { budgetMicros: 0 })],
  ["concurrency_limit_exceeded", ({ settings }) => Object.assign(settings, { unfinishedTasks: 0 })],
]

let service: InProcessService
let storage: Storage
let accounts = 0

before(async () => {
  const wrapStorage = (opened: Storage): Storage => (storage = opened)
  service = await createInProcessService({ settings: { bodyBytes: BODY_BYTES }, wrapStorage })
})

after(async () => {
  await service[Symbol.asyncDispose]()
})

async function createKey(account: string, scopes: readonly ApiKeyScope[]): Promise<string> {
  const parts = createApiKeyParts(systemRandomness(new Uint8Array(96)))
  const secretSha256 = sha256([parts.secret])
  const key = { id: parts.id, account, secretSha256, scopes, createdAt: 0 }
  await storage.createKey({ ...key, revokedAt: 0, expiresAt: 0 })
  return formatApiKey(parts)
}

function send({ method, path, headers, body, tail }: Draft, key?: string): Promise<Response> {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const text = `${JSON.stringify(body)}${tail}`
  const init = { method, headers: { ...headers, ...authorization }, body: text }
  return fetch(`${service.url}${path}`, init)
}

/** Sends a draft from an account that stands as the draft says. */
async function ask(draft: Draft): Promise<Response> {
  accounts += 1
  const account = `account ${accounts}`
  const { scopes, settings, isReused, hasKey, headers } = draft
  if (isReused) {
    headers["idempotency-key"] ??= "order-1"
    const first = toDraft()
    first.headers["idempotency-key"] = "order-1"
    first.body["parameters"] = { prompt: "another" }
    const response = await send(first, await createKey(account, API_KEY_SCOPES))
    assert.equal(response.status, 202)
  }
  await storage.setAccount({ id: account, now: 0, settings })
  if (settings.rates !== undefined) {
    const spending = toDraft()
    spending.body = {}
    await send(spending, await createKey(account, API_KEY_SCOPES))
  }
  return send(draft, hasKey ? await createKey(account, scopes) : undefined)
}

async function readCode(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } }
  return error.code
}

describe("the order of checks", () => {
  for (const [index, [code, fail]] of CHECKS.entries()) {
    const [next, failNext] = CHECKS[index + 1] ?? ["the task", () => {}]
    it(`comes to ${code} before ${next}`, async () => {
      const draft = toDraft()
      fail(draft)
      failNext(draft)
      assert.equal(await readCode(await ask(draft)), code)
    })
  }

  it("is the same for any two checks", async () => {
    for (const [index, [code, fail]] of CHECKS.entries()) {
      for (const [later, failLater] of CHECKS.slice(index + 2)) {
        const draft = toDraft()
        // The other way round: the order in which a test fails them means nothing.
        failLater(draft)
        fail(draft)
        assert.equal(await readCode(await ask(draft)), code, `${code} before ${later}`)
      }
    }
  })

  it("ends in a task where nothing is wrong", async () => {
    const response = await ask(toDraft())
    assert.equal(response.status, 202)
    assert.match(response.headers.get("location") ?? "", /^\/v1\/tasks\/[0-9a-f-]{36}$/)
  })

  it("counts a body that does not declare its length before it is read as JSON", async () => {
    const { headers } = toDraft()
    const key = await createKey("chunked", API_KEY_SCOPES)
    const response = await fetch(`${service.url}/v1/tasks`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: new Blob(["{".repeat(BODY_BYTES + 1)]).stream(),
      duplex: "half",
    })
    assert.equal(await readCode(response), "request_too_large")
  })
})

describe("a replay", () => {
  it("ignores the budget and the bound on unfinished tasks, and not the rate", async () => {
    const draft = toDraft()
    draft.headers["idempotency-key"] = "again"
    const account = "replaying"
    const first = await send(draft, await createKey(account, API_KEY_SCOPES))
    assert.equal(first.status, 202)
    const rates = { create: ONCE, read: null, content: null }
    const settings = { budgetMicros: 0, unfinishedTasks: 0, rates }
    await storage.setAccount({ id: account, now: 0, settings })
    const key = await createKey(account, API_KEY_SCOPES)
    const again = await send(draft, key)
    assert.equal(again.status, 202)
    assert.equal(again.headers.get("idempotent-replayed"), "true")
    assert.equal(again.headers.get("location"), first.headers.get("location"))
    assert.equal(await readCode(await send(draft, key)), "rate_limit_exceeded")
  })
})
