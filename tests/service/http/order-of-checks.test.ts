/**
 * The order in which a creation is checked (http-decisions §1), over the real engine and storage:
 * of every two things that are wrong with a request, the earlier check tells of its own.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createApiKeyParts, formatApiKey } from "@safelight/access"
import { API_KEY_SCOPES, type AccountSettings, type Storage, type StoredKey } from "@safelight/core"
import { sha256, systemRandomness } from "@safelight/engine"
import { createCheckedFetch } from "../../support/openapi-response.ts"
import { createInProcessService } from "../in-process-service.ts"

/** A request on its way to be wrong. */
interface Draft {
  method: string
  path: string
  isRateUsedUp: boolean
  /** Whether another request with the idempotency key `one` was accepted before. */
  isKeyUsed: boolean
  readonly headers: Record<string, string>
  readonly key: { -readonly [Name in keyof StoredKey]?: StoredKey[Name] }
  readonly settings: { -readonly [Name in keyof AccountSettings]?: AccountSettings[Name] }
  readonly body: Record<string, unknown>
  /** What is done to the body's text, in order. */
  readonly edits: ((text: string) => string)[]
}

interface Check {
  readonly code: string
  readonly spoil: (draft: Draft) => void
}

const JSON_TYPE = "application/json"
const BODY_BYTES = 4_096
const RATE = { requests: 1, windowMs: 3_600_000 }
const NESTED = `${"[".repeat(33)}${"]".repeat(33)}`

const CHECKS: readonly Check[] = [
  { code: "route_not_found", spoil: (draft) => (draft.path = "/v1/nothing") },
  { code: "method_not_allowed", spoil: (draft) => (draft.method = "PUT") },
  { code: "api_key_revoked", spoil: ({ key }) => (key.revokedAt = 1) },
  { code: "account_suspended", spoil: ({ settings }) => (settings.suspendedAt = 1) },
  { code: "insufficient_scope", spoil: ({ key }) => (key.scopes = ["tasks:read"]) },
  { code: "rate_limit_exceeded", spoil: (draft) => (draft.isRateUsedUp = true) },
  { code: "unsupported_media_type", spoil: setHeader("content-type", "text/plain") },
  { code: "unsupported_content_encoding", spoil: setHeader("content-encoding", "gzip") },
  { code: "invalid_idempotency_key", spoil: setHeader("idempotency-key", '"') },
  { code: "request_too_large", spoil: edit((text) => text + " ".repeat(BODY_BYTES)) },
  { code: "json_too_complex", spoil: edit((text) => text.replace("{", `{"deep":${NESTED},`)) },
  { code: "invalid_json", spoil: edit((text) => `${text}x`) },
  { code: "duplicate_key", spoil: edit((text) => text.replace("{", '{"model":"twice",')) },
  { code: "unknown_parameter", spoil: ({ body }) => (body["other"] = 1) },
  { code: "model_not_found", spoil: ({ body }) => (body["model"] = "none") },
  { code: "string_below_min_length", spoil: ({ body }) => (body["parameters"] = { prompt: "" }) },
  { code: "idempotency_key_reused", spoil: (draft) => (draft.isKeyUsed = true) },
  { code: "insufficient_balance", spoil: ({ settings }) => (settings.budgetMicros = 0) },
  { code: "concurrency_limit_exceeded", spoil: ({ settings }) => (settings.unfinishedTasks = 0) },
]

for (const kind of ["in process", "over a socket"] as const) {
  describe(`of two checks that fail, ${kind}`, () => {
    let service: Awaited<ReturnType<typeof open>>
    before(async () => {
      service = await open(kind)
    })
    after(() => service[Symbol.asyncDispose]())

    for (const [index, earlier] of CHECKS.entries()) {
      it(`${earlier.code} comes before all that follow`, async () => {
        for (const later of [undefined, ...CHECKS.slice(index + 1)]) {
          const draft = toDraft()
          later?.spoil(draft)
          // What both would set stays as the earlier check needs it.
          earlier.spoil(draft)
          const response = await service.send(draft)
          const { error } = (await response.json()) as { error?: { code: string } }
          assert.equal(error?.code, earlier.code, `before ${later?.code}`)
        }
      })
    }

    it("neither does in a request that is right", async () => {
      assert.equal((await service.send(toDraft())).status, 202)
    })
  })
}

describe("a replay", () => {
  const draft = { ...toDraft(), headers: { "content-type": JSON_TYPE, "idempotency-key": "one" } }

  it("is not asked for budget or place, only for who calls and how often", async () => {
    await using service = await open()
    const account = await service.createAccount()
    const first = await service.post(draft, await account.createKey())
    assert.equal(first.status, 202)
    const { task_id: id } = (await first.json()) as { task_id: string }
    await account.set({ budgetMicros: 0, unfinishedTasks: 0 })
    const again = await service.post(draft, await account.createKey())
    assert.deepEqual(
      [again.status, again.headers.get("location"), again.headers.get("idempotent-replayed")],
      [202, `/v1/tasks/${id}`, "true"],
    )
    await account.set({ rates: { create: RATE, read: null, content: null } })
    const key = await account.createKey()
    assert.equal((await service.post(draft, key)).status, 202)
    assert.equal((await service.post(draft, key)).status, 429)
    await account.set({ suspendedAt: 1 })
    assert.equal((await service.post(draft, await account.createKey())).status, 403)
    assert.equal(service.countStored().tasks, 1)
  })

  it("is the one task, or told to wait, however many come at once", async () => {
    await using service = await open()
    const key = await (await service.createAccount()).createKey()
    const responses = await Promise.all(Array.from({ length: 20 }, () => service.post(draft, key)))
    const statuses = responses.map(({ status }) => status)
    assert.ok(statuses.every((status) => status === 202 || status === 409))
    assert.equal(
      responses.filter(
        ({ status, headers }) => status === 202 && !headers.has("idempotent-replayed"),
      ).length,
      1,
    )
    for (const { status, headers } of responses) {
      if (status === 409) assert.equal(headers.get("retry-after"), "1")
    }
    assert.equal(service.countStored().tasks, 1)
  })
})

function toDraft(): Draft {
  return {
    method: "POST",
    path: "/v1/tasks",
    isRateUsedUp: false,
    isKeyUsed: false,
    headers: { "content-type": JSON_TYPE },
    key: {},
    settings: {},
    body: { model: "vendor-a/v4.1/flash/text-to-image", parameters: { prompt: "a lighthouse" } },
    edits: [],
  }
}

function setHeader(name: string, value: string): Check["spoil"] {
  return ({ headers }) => {
    headers[name] = value
  }
}

function edit(change: (text: string) => string): Check["spoil"] {
  return ({ edits }) => edits.push(change)
}

async function open(kind: "in process" | "over a socket" = "in process") {
  let storage: Storage | undefined
  const service = await createInProcessService({
    settings: { bodyBytes: BODY_BYTES },
    wrapStorage: (opened) => (storage = opened),
  })
  const checkedFetch = createCheckedFetch(fetch)
  let accounts = 0

  async function createAccount() {
    assert.ok(storage)
    const id = `account-${(accounts += 1)}`
    const { setAccount, createKey, readRate, advanceRate } = storage
    return {
      set: (settings: Partial<AccountSettings>) => setAccount({ id, now: Date.now(), settings }),
      async createKey(changes: Draft["key"] = {}): Promise<string> {
        const parts = createApiKeyParts(systemRandomness(new Uint8Array(96)))
        await createKey({
          id: parts.id,
          account: id,
          secretSha256: sha256([parts.secret]),
          scopes: API_KEY_SCOPES,
          createdAt: 0,
          revokedAt: 0,
          expiresAt: 0,
          ...changes,
        })
        return formatApiKey(parts)
      },
      async useRateUp(): Promise<void> {
        const name = { account: id, policy: "create" } as const
        const to = (Date.now() + RATE.windowMs) * 1_000
        await advanceRate({ ...name, from: await readRate(name), to })
      },
    }
  }

  async function post({ method, path, headers, body, edits }: Draft, key: string) {
    const text = edits.reduce((edited, change) => change(edited), JSON.stringify(body))
    const request = new Request(`${service.url}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: text,
    })
    return kind === "in process" ? service.handler.fetch(request) : checkedFetch(request)
  }

  return {
    post,
    createAccount,
    countStored: service.countStored,
    async send(draft: Draft): Promise<Response> {
      const account = await createAccount()
      if (draft.isKeyUsed) {
        const usual = toDraft()
        usual.headers["idempotency-key"] = "one"
        usual.body["parameters"] = { prompt: "another" }
        assert.equal((await post(usual, await account.createKey())).status, 202)
        draft.headers["idempotency-key"] ??= "one"
      }
      const rates = { create: draft.isRateUsedUp ? RATE : null, read: null, content: null }
      await account.set({ ...draft.settings, rates })
      if (draft.isRateUsedUp) await account.useRateUp()
      return post(draft, await account.createKey(draft.key))
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
