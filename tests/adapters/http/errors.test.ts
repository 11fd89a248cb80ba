/** Every row of the error table that can be reached by a request, in both worlds. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { ERROR_CODES } from "@safelight/http"
import { KNOWN, REVOKED_KEY } from "./fake-operator-accounts.ts"
import { IN_DOUBT, RUNNING } from "./fake-operator-tasks.ts"
import { outside, putArtifact, taskId, toTask } from "./fake-service.ts"
import { creation, createWorld, VALID, WORLDS, type World } from "./worlds.ts"

interface Row {
  readonly code: string
  readonly status: number
  readonly type: string
  readonly when: string
  readonly request: (world: World) => Promise<Response>
  readonly headers?: Record<string, string | RegExp>
  readonly param?: string
  readonly message?: RegExp
}

const CHALLENGE = 'Bearer realm="api"'
const INVALID = `${CHALLENGE}, error="invalid_token"`
const UNKNOWN = `/v1/tasks/${taskId(404)}`
const IMAGE = "/artifacts/image_1/content"

function get(world: World, authorization: string): Promise<Response> {
  return world.bare(UNKNOWN, { headers: { authorization } })
}

function post(world: World, body: unknown, headers: Record<string, string> = {}) {
  const call = creation(body)
  return world.call("/v1/tasks", { ...call, headers: { ...call.headers, ...headers } })
}

function withText(prompt: unknown) {
  return { ...VALID, parameters: { prompt } }
}

const REQUEST_ROWS: readonly Row[] = [
  {
    when: "the path is unknown, without a key",
    request: (world) => world.bare("/v2/tasks"),
    code: "route_not_found",
    status: 404,
    type: "not_found_error",
  },
  {
    when: "the method is wrong, without a key",
    request: (world) => world.bare("/v1/tasks", { method: "DELETE" }),
    code: "method_not_allowed",
    status: 405,
    type: "invalid_request_error",
    headers: { allow: "GET, HEAD, POST, OPTIONS" },
  },
  {
    when: "a task is written to",
    request: (world) => world.bare(UNKNOWN, { method: "PUT" }),
    code: "method_not_allowed",
    status: 405,
    type: "invalid_request_error",
    headers: { allow: "GET, HEAD, OPTIONS" },
  },
  {
    when: "a channel is unknown",
    request: (world) => world.call("/v1/admin/channels/nobody/pause", { method: "POST" }),
    code: "channel_not_found",
    status: 404,
    type: "not_found_error",
  },
  {
    when: "an account is unknown",
    request: (world) => world.call("/v1/admin/accounts/nobody"),
    code: "account_not_found",
    status: 404,
    type: "not_found_error",
  },
  {
    when: "an account does not have the key",
    request: (world) =>
      world.call("/v1/admin/accounts/nobody/keys/0123456789/revoke", { method: "POST" }),
    code: "key_not_found",
    status: 404,
    type: "not_found_error",
  },
  {
    when: "a revoked key is replaced",
    request: (world) =>
      world.call(
        `/v1/admin/accounts/${encodeURIComponent(KNOWN)}/keys/${REVOKED_KEY}/rotate`,
        creation({}),
      ),
    code: "key_revoked",
    status: 409,
    type: "conflict_error",
  },
  {
    when: "a task that is not in doubt is settled",
    request: (world) => world.call(`/v1/admin/tasks/${RUNNING}/resolve`, creation({ fail: true })),
    code: "task_not_in_doubt",
    status: 409,
    type: "conflict_error",
  },
  {
    when: "no checkpoint has the task yet",
    request: (world) => world.call(`/v1/admin/tasks/${IN_DOUBT}/proof`),
    code: "proof_not_ready",
    status: 409,
    type: "conflict_error",
  },
  {
    when: "an audit runs already",
    request: (world) => {
      world.operator.setBusy(true)
      return world.call("/v1/admin/audits", creation({ kind: "verify" }))
    },
    code: "audit_running",
    status: 409,
    type: "conflict_error",
  },
  {
    when: "a webhook is unknown",
    request: (world) => world.call("/v1/webhooks/we_9"),
    code: "webhook_not_found",
    status: 404,
    type: "not_found_error",
  },
  {
    when: "a delivery is unknown",
    request: (world) => world.call("/v1/webhooks/we_1/deliveries/msg_9"),
    code: "delivery_not_found",
    status: 404,
    type: "not_found_error",
  },
  {
    when: "a webhook that is disabled is tried out",
    request: (world) => world.call("/v1/webhooks/we_2/test", { method: "POST" }),
    code: "webhook_disabled",
    status: 409,
    type: "conflict_error",
  },
  {
    when: "the account has as many webhooks as it may",
    request: (world) => {
      const body = { url: "https://hooks.example/", description: "one too many" }
      return world.call("/v1/webhooks", creation(body))
    },
    code: "webhook_limit_exceeded",
    status: 409,
    type: "conflict_error",
  },
  {
    when: "a callback comes to an address that nobody was given",
    request: (world) => world.bare("/v1/channels/fal/callback/1", { method: "POST", body: "{}" }),
    code: "not_found",
    status: 404,
    type: "not_found_error",
  },
  {
    when: "a callback is not as its provider signs it",
    request: (world) =>
      world.bare("/v1/channels/fal/callback/forged", { method: "POST", body: "" }),
    code: "invalid_callback",
    status: 401,
    type: "authentication_error",
  },
  {
    when: "a link to sign in is not good",
    request: (world) => world.bare("/v1/sign-in", creation({ token: "another" })),
    code: "invalid_sign_in",
    status: 401,
    type: "authentication_error",
    headers: { "www-authenticate": 'Bearer realm="api"' },
  },
  {
    when: "the URL is too long",
    request: (world) => world.bare(`/v1/tasks?${"x".repeat(8_192)}`),
    code: "uri_too_long",
    status: 414,
    type: "invalid_request_error",
  },
  {
    when: "no key is sent",
    request: (world) => world.bare(UNKNOWN),
    code: "missing_api_key",
    status: 401,
    type: "authentication_error",
    headers: { "www-authenticate": CHALLENGE },
  },
  {
    when: "the scheme is Basic",
    request: (world) => get(world, "Basic dXNlcjpwYXNz"),
    code: "invalid_api_key",
    status: 401,
    type: "authentication_error",
    headers: { "www-authenticate": INVALID },
  },
  {
    when: "two keys are sent in one header",
    request: (world) => get(world, `Bearer ${world.key}, Bearer ${world.key}`),
    code: "invalid_api_key",
    status: 401,
    type: "authentication_error",
  },
  {
    when: "the key's checksum is right and its id unknown",
    request: (world) => {
      const key = world.keys.add()
      world.keys.stored.delete(key.slice(8, 18))
      return get(world, `Bearer ${key}`)
    },
    code: "invalid_api_key",
    status: 401,
    type: "authentication_error",
  },
  {
    when: "the secret is another key's, even of a revoked one",
    request: (world) => {
      const key = world.keys.add({ secretSha256: "0".repeat(64), revokedAt: 1 })
      return get(world, `Bearer ${key}`)
    },
    code: "invalid_api_key",
    status: 401,
    type: "authentication_error",
  },
  {
    when: "the key was revoked",
    request: (world) => get(world, `Bearer ${world.keys.add({ revokedAt: 1 })}`),
    code: "api_key_revoked",
    status: 401,
    type: "authentication_error",
    headers: { "www-authenticate": INVALID },
  },
  {
    when: "the key has expired this very millisecond",
    request: (world) => get(world, `Bearer ${world.keys.add({ expiresAt: world.clock.now() })}`),
    code: "api_key_expired",
    status: 401,
    type: "authentication_error",
    headers: { "www-authenticate": INVALID },
  },
  {
    when: "the key lacks the scope",
    request: (world) => get(world, `Bearer ${world.keys.add({ scopes: ["tasks:write"] })}`),
    code: "insufficient_scope",
    status: 403,
    type: "permission_error",
    headers: {
      "www-authenticate": `${CHALLENGE}, error="insufficient_scope", scope="tasks:read"`,
    },
  },
  {
    when: "the account is suspended",
    request: (world) => {
      world.accounts.set({ suspendedAt: 1 })
      return world.call(UNKNOWN)
    },
    code: "account_suspended",
    status: 403,
    type: "permission_error",
  },
  {
    when: "the account's rate is used up",
    request: async (world) => {
      const rate = { requests: 1, windowMs: 90_500 }
      world.accounts.set({ rates: { create: null, read: rate, content: null } })
      await world.call(UNKNOWN)
      return world.call(UNKNOWN)
    },
    code: "rate_limit_exceeded",
    status: 429,
    type: "rate_limit_error",
    headers: {
      "retry-after": "91",
      "ratelimit-policy": '"read";q=1;w=91',
      ratelimit: '"read";r=0;t=91',
    },
  },
  {
    when: "a private link opens nothing",
    request: (world) => world.bare(`${UNKNOWN}${IMAGE}?access=x`),
    code: "not_found",
    status: 404,
    type: "not_found_error",
  },
]

const KEYED = { "idempotency-key": "one" }

function postRejected(world: World, code: AccountRejection) {
  world.fake.refuse({ code })
  return post(world, VALID)
}

type AccountRejection = "budget-exceeded" | "too-many-unfinished-tasks" | "idempotency-key-in-use"

const ACCOUNT_ROWS: readonly Row[] = [
  {
    when: "the task could cost more than the request allows",
    request: (world) => {
      world.fake.refuse({ code: "max-cost-exceeded", costMicros: 2, maxCostMicros: 1 })
      return post(world, VALID, { "safelight-max-cost-micros": "1" })
    },
    code: "max_cost_exceeded",
    status: 402,
    type: "billing_error",
  },
  {
    when: "nobody can make the model now",
    request: (world) => {
      world.fake.refuse({ code: "model-unavailable", model: "m", reason: "no_channel" })
      return post(world, VALID)
    },
    code: "model_unavailable",
    status: 503,
    type: "api_error",
  },
  {
    when: "the quote has expired",
    request: (world) => {
      world.fake.refuse({ code: "quote-expired" })
      return post(world, VALID)
    },
    code: "quote_expired",
    status: 402,
    type: "billing_error",
  },
  {
    when: "the Idempotency-Key is empty",
    request: (world) => post(world, VALID, { "idempotency-key": "" }),
    code: "invalid_idempotency_key",
    status: 400,
    type: "idempotency_error",
  },
  ...(["failed", "not-allowed"] as const).map((code) => ({
    when: `a hold is refused as ${code}`,
    request: async (world: World) => {
      const { id } = putArtifact(world.fake, new Uint8Array(1))
      world.fake.refuseHold({ code })
      return world.call(`/v1/tasks/${id}/hold?until=1`, { method: "POST" })
    },
    ...(code === "failed"
      ? ({ code: "task_failed", status: 409, type: "conflict_error" } as const)
      : ({ code: "hold_not_allowed", status: 403, type: "permission_error" } as const)),
  })),
  {
    when: "a label is not written key=value",
    request: (world) => post(world, VALID, { "safelight-label": "spring" }),
    code: "invalid_label",
    status: 400,
    type: "invalid_request_error",
  },
  {
    when: "more services passed the request on than a chain may have",
    request: (world) => post(world, VALID, { "safelight-hops": "6" }),
    code: "too_many_hops",
    status: 400,
    type: "invalid_request_error",
  },
  {
    when: "what says how many services passed the request on is no number",
    request: (world) => post(world, VALID, { "safelight-hops": "-1" }),
    code: "too_many_hops",
    status: 400,
    type: "invalid_request_error",
  },
  {
    when: "the Idempotency-Key stands for another request",
    request: async (world) => {
      await post(world, VALID, KEYED)
      return post(world, withText("another"), KEYED)
    },
    code: "idempotency_key_reused",
    status: 422,
    type: "idempotency_error",
  },
  {
    when: "a request with the Idempotency-Key is under way",
    request: (world) => postRejected(world, "idempotency-key-in-use"),
    code: "idempotency_key_in_use",
    status: 409,
    type: "idempotency_error",
    headers: { "retry-after": "1" },
  },
  {
    when: "the budget does not cover the task",
    request: (world) => postRejected(world, "budget-exceeded"),
    code: "insufficient_balance",
    status: 402,
    type: "billing_error",
  },
  {
    when: "the account has as many unfinished tasks as it may",
    request: (world) => postRejected(world, "too-many-unfinished-tasks"),
    code: "concurrency_limit_exceeded",
    status: 429,
    type: "rate_limit_error",
    headers: { "retry-after": "2" },
  },
]

const BODY_ROWS: readonly Row[] = [
  {
    when: "the body is a form",
    request: (world) => post(world, VALID, { "content-type": "application/x-www-form-urlencoded" }),
    code: "unsupported_media_type",
    status: 415,
    type: "invalid_request_error",
    headers: { accept: "application/json" },
  },
  {
    when: "the charset is not UTF-8",
    request: (world) => post(world, VALID, { "content-type": "application/json; charset=latin1" }),
    code: "unsupported_media_type",
    status: 415,
    type: "invalid_request_error",
  },
  {
    when: "the body is compressed",
    request: (world) => post(world, VALID, { "content-encoding": "gzip" }),
    code: "unsupported_content_encoding",
    status: 415,
    type: "invalid_request_error",
    headers: { "accept-encoding": "identity" },
  },
  {
    when: "the body is too large",
    request: (world) => post(world, withText("x".repeat(70_000))),
    code: "request_too_large",
    status: 413,
    type: "invalid_request_error",
    headers: { connection: "close" },
  },
  {
    when: "the body is empty",
    request: (world) => post(world, ""),
    code: "invalid_json",
    status: 400,
    type: "invalid_request_error",
    message: /is empty/,
  },
  {
    when: "the body is no JSON, by its byte behind a mark and two-byte letters",
    request: (world) => post(world, '\uFEFF{"é":x}'),
    code: "invalid_json",
    status: 400,
    type: "invalid_request_error",
    message: /at byte 9\.$/,
  },
  {
    when: "the body is not UTF-8",
    request: (world) => post(world, Buffer.concat([Buffer.alloc(9_000, "é"), Buffer.from([0xff])])),
    code: "invalid_json",
    status: 400,
    type: "invalid_request_error",
    message: /not UTF-8 at byte 9000\.$/,
  },
  {
    when: "the body ends within a character",
    request: (world) => post(world, Buffer.from('["é').subarray(0, 3)),
    code: "invalid_json",
    status: 400,
    type: "invalid_request_error",
    message: /not UTF-8 at byte 3\.$/,
  },
  {
    when: "a name stands twice, once escaped",
    request: (world) => post(world, String.raw`{"model":"a","mod\u0065l":"b"}`),
    code: "duplicate_key",
    status: 400,
    type: "invalid_request_error",
  },
  {
    when: "the body is 33 levels deep",
    request: (world) => post(world, "[".repeat(33) + "]".repeat(33)),
    code: "json_too_complex",
    status: 400,
    type: "invalid_request_error",
  },
  {
    when: "the body is a list",
    request: (world) => post(world, "[]"),
    code: "invalid_type",
    status: 400,
    type: "invalid_request_error",
  },
  {
    when: "the model is missing",
    request: (world) => post(world, { parameters: {} }),
    code: "missing_required_parameter",
    status: 400,
    type: "invalid_request_error",
    param: "model",
  },
  {
    when: "parameters is null",
    request: (world) => post(world, { ...VALID, parameters: null }),
    code: "invalid_type",
    status: 400,
    type: "invalid_request_error",
    param: "parameters",
  },
  {
    when: "a member is called __proto__",
    request: (world) => post(world, `${JSON.stringify(VALID).slice(0, -1)},"__proto__":{}}`),
    code: "unknown_parameter",
    status: 400,
    type: "invalid_request_error",
    param: "__proto__",
  },
  {
    when: "the model is unknown, of which 100 characters come back",
    request: (world) => post(world, { ...VALID, model: "m".repeat(300) }),
    code: "model_not_found",
    status: 400,
    type: "invalid_request_error",
    param: "model",
    message: /^The model m{99}… does not exist\. Choose one of: /,
  },
  {
    when: "the prompt holds half a character",
    request: (world) => post(world, JSON.stringify(withText("\ud800"))),
    code: "invalid_value",
    status: 400,
    type: "invalid_request_error",
    param: "parameters.prompt",
  },
  {
    when: "the prompt is empty",
    request: (world) => post(world, withText("")),
    code: "string_below_min_length",
    status: 400,
    type: "invalid_request_error",
    param: "parameters.prompt",
  },
]

const TASK_ROWS: readonly Row[] = [
  {
    when: "the task is unknown",
    request: (world) => world.call(UNKNOWN),
    code: "task_not_found",
    status: 404,
    type: "not_found_error",
  },
  {
    when: "the task is unfinished",
    request: (world) => {
      const { id } = world.fake.put(toTask(taskId(7)))
      return world.call(`/v1/tasks/${id}/artifacts`)
    },
    code: "task_not_finished",
    status: 409,
    type: "conflict_error",
    headers: { "retry-after": "2" },
  },
  {
    when: "the artifact is unknown, though an earlier one has expired",
    request: (world) => {
      const { id } = putArtifact(world.fake, new Uint8Array(3), { expiresAt: 1 })
      return world.call(`/v1/tasks/${id}/artifacts/image_2/content`)
    },
    code: "artifact_not_found",
    status: 404,
    type: "not_found_error",
  },
  {
    when: "the artifact expires this very millisecond",
    request: (world) => {
      const expiresAt = world.clock.now()
      const { id } = putArtifact(world.fake, new Uint8Array(3), { expiresAt })
      return world.call(`/v1/tasks/${id}${IMAGE}`, { headers: { "if-none-match": "*" } })
    },
    code: "artifact_expired",
    status: 410,
    type: "artifact_expired",
  },
  {
    when: "the artifact has expired and its bytes are gone",
    request: (world) => {
      const { id } = putArtifact(world.fake, new Uint8Array(3), {
        expiresAt: world.clock.now() - 1,
      })
      world.fake.bytes.clear()
      return world.call(`/v1/tasks/${id}${IMAGE}`)
    },
    code: "artifact_expired",
    status: 410,
    type: "artifact_expired",
  },
  {
    when: "the artifact's bytes are missing before its time",
    request: (world) => {
      const { id } = putArtifact(world.fake, new Uint8Array(3))
      world.fake.bytes.clear()
      return world.call(`/v1/tasks/${id}${IMAGE}`)
    },
    code: "storage_unavailable",
    status: 503,
    type: "api_error",
  },
  {
    when: "If-Match names another",
    request: (world) => {
      const { id } = putArtifact(world.fake, new Uint8Array(3))
      return world.call(`/v1/tasks/${id}${IMAGE}`, { headers: { "if-match": '"x"' } })
    },
    code: "precondition_failed",
    status: 412,
    type: "invalid_request_error",
  },
  {
    when: "the range lies past the end",
    request: (world) => {
      const { id } = putArtifact(world.fake, new Uint8Array(3))
      return world.call(`/v1/tasks/${id}${IMAGE}`, { headers: { range: "bytes=3-" } })
    },
    code: "range_not_satisfiable",
    status: 416,
    type: "invalid_request_error",
    headers: { "content-range": "bytes */3" },
  },
  {
    when: "the stored size is wrong",
    request: (world) => {
      const { id } = putArtifact(world.fake, new Uint8Array(3), { bytes: 4 })
      return world.call(`/v1/tasks/${id}${IMAGE}`)
    },
    code: "storage_unavailable",
    status: 503,
    type: "api_error",
    headers: { "retry-after": /^[1-9]\d*$/ },
  },
  {
    when: "the artifact storage fails",
    request: (world) => {
      world.fake.fail(outside("artifacts-unavailable", 2_500))
      return world.call(`${UNKNOWN}${IMAGE}`)
    },
    code: "storage_unavailable",
    status: 503,
    type: "api_error",
    headers: { "retry-after": "3" },
  },
  {
    when: "the database fails",
    request: (world) => {
      world.fake.fail(outside("storage-unavailable"))
      return post(world, VALID)
    },
    code: "service_unavailable",
    status: 503,
    type: "api_error",
    headers: { "retry-after": /^[1-9]\d*$/ },
  },
  {
    when: "nobody knows whether the task was stored",
    request: (world) => {
      world.fake.fail(outside("outcome-unknown"))
      return post(world, VALID)
    },
    code: "outcome_unknown",
    status: 503,
    type: "api_error",
    headers: { "x-should-retry": "false" },
  },
  {
    when: "the engine sheds load",
    request: (world) => {
      world.fake.fail(outside("overloaded"))
      return post(world, VALID)
    },
    code: "overloaded",
    status: 503,
    type: "overloaded_error",
    headers: { "retry-after": "16" },
  },
  {
    when: "there is a bug",
    request: (world) => {
      world.fake.fail(new TypeError("secret words"))
      return world.call(UNKNOWN)
    },
    code: "internal_error",
    status: 500,
    type: "api_error",
  },
]

const ROWS = [...REQUEST_ROWS, ...BODY_ROWS, ...ACCOUNT_ROWS, ...TASK_ROWS]

for (const kind of WORLDS) {
  describe(`errors, ${kind}`, () => {
    for (const row of ROWS) {
      it(`answers ${row.status} ${row.code} where ${row.when}`, async () => {
        const world = await createWorld(kind, { settings: { bodyBytes: 65_536 } })
        try {
          await checkRow(row, await row.request(world))
        } finally {
          await world.close()
        }
      })
    }
  })
}

describe("the error table", () => {
  it("has a test for every code that a request alone can bring about", () => {
    // The rest are parameter checks of core, and what only a raw socket can do (node-server.test).
    const elsewhere =
      /^(invalid_url|url_not_allowed|invalid_data_url|(string|array|integer)_.*|request_timeout|headers_too_large|malformed_request)$/
    const tested = new Set(ROWS.map(({ code }) => code))
    const missing = ERROR_CODES.filter((code) => !tested.has(code) && !elsewhere.test(code))
    assert.deepEqual(missing, [])
  })

  it("tells of several wrong parameters, at most twenty, and of none alone", async () => {
    const world = await createWorld("in process")
    const extra = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${index}`, 1]))
    const response = await post(world, { ...extra, model: 5 })
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    assert.equal(error["param"], undefined)
    assert.equal(error["code"], "invalid_type")
    const details = error["details"] as { param: string; code: string; message: string }[]
    assert.equal(details.length, 20)
    assert.deepEqual(details.slice(0, 2), [
      { param: "model", code: "invalid_type", message: "model must be a string." },
      {
        param: "parameters",
        code: "missing_required_parameter",
        message: "parameters is required.",
      },
    ])
  })

  it("refuses another account's task and a malformed id with the bytes of an unknown one", async () => {
    const world = await createWorld("in process")
    const { id } = putArtifact(world.fake, new Uint8Array(3), { account: "account-b" })
    const ids = [taskId(404), id, id.toUpperCase().replace("1", "A"), "x", "%zz", "%00", "a%2Fb"]
    for (const path of ["", "/artifacts", "/usage", IMAGE]) {
      const responses = await Promise.all(ids.map((each) => world.call(`/v1/tasks/${each}${path}`)))
      const shown = await Promise.all(responses.map(show))
      assert.deepEqual(new Set(shown).size, 1, shown.join("\n"))
    }
  })

  it("logs a bug with its stack and request id, and tells the caller the id alone", async () => {
    const world = await createWorld("in process")
    const bug = new TypeError("secret words")
    world.fake.fail(bug)
    const response = await world.call(UNKNOWN)
    assert.ok(!(await response.text()).includes("secret"))
    const requestId = response.headers.get("x-request-id")
    assert.deepEqual(world.logged, [
      { level: "error", fields: { requestId, error: bug }, message: "request failed" },
    ])
  })

  it("logs lost and damaged bytes as errors, and no caller's fault at all", async () => {
    const world = await createWorld("in process")
    const { id } = putArtifact(world.fake, new Uint8Array(3), { bytes: 4 })
    await world.call(`/v1/tasks/${id}${IMAGE}`)
    assert.equal(world.logged[0]?.level, "error")
    assert.equal(world.fake.openReaders(), 0)
    world.logged.length = 0
    await world.call("/nothing")
    await post(world, "x")
    assert.deepEqual(world.logged, [])
  })
})

async function checkRow(row: Row, response: Response): Promise<void> {
  const { error, ...rest } = (await response.json()) as { error: Record<string, string> }
  assert.equal(response.status, row.status)
  assert.deepEqual(rest, {})
  assert.equal(error["code"], row.code)
  assert.equal(error["type"], row.type)
  assert.match(error["message"] ?? "", row.message ?? /./)
  assert.ok(!JSON.stringify(error).includes("secret"))
  assert.equal(error["param"], row.param)
  const { headers } = response
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8")
  assert.equal(headers.get("cache-control"), "no-store")
  assert.equal(headers.get("x-content-type-options"), "nosniff")
  assert.match(headers.get("x-request-id") ?? "", /^req_[0-9a-f]{24}$/)
  for (const [name, value] of Object.entries(row.headers ?? {})) {
    const sent = headers.get(name) ?? ""
    if (typeof value === "string") assert.equal(sent, value)
    else assert.match(sent, value)
  }
}

async function show(response: Response): Promise<string> {
  const headers = Object.entries(Object.fromEntries(response.headers))
  const stable = headers.filter(([name]) => name !== "x-request-id" && name !== "date")
  return JSON.stringify([response.status, stable, await response.text()])
}
