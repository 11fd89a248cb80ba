/** Accounts and their keys by HTTP: what an operator is shown, and how a body becomes a change. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { KNOWN, REVOKED_KEY, VALID_KEY } from "./fake-operator-accounts.ts"
import { createWorld } from "./worlds.ts"

const ACCOUNTS = "/v1/admin/accounts"
const ONE = `${ACCOUNTS}/${encodeURIComponent(KNOWN)}`
const KEYS = `${ONE}/keys`

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

async function create() {
  const world = await createWorld("in process")
  const authorization = `Bearer ${world.keys.add({ scopes: ["admin"] })}`
  async function ask(path: string, method = "GET", body?: object): Promise<Answer> {
    const headers = { authorization, ...(body && { "content-type": "application/json" }) }
    const sent = body && { body: JSON.stringify(body) }
    const response = await world.bare(path, { method, headers, ...sent })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text === "" ? "{}" : text) }
  }
  return { ...world, ask }
}

const toError = ({ status, body }: Answer): readonly unknown[] => {
  const { code, param } = body["error"] as { readonly code: string; readonly param?: string }
  return [status, code, param]
}

const SETTINGS = {
  account: KNOWN,
  created_at: 1,
  suspended_at: 2,
  create_rate: null,
  read_rate: { requests: 60, window_ms: 1_000 },
  content_rate: null,
  unfinished_tasks: null,
  running_tasks: null,
  weight: 1,
  budget_micros: 50,
  retention_ms: null,
  max_retention_ms: 0,
  sign_content_urls: false,
}

const KEY = {
  id: VALID_KEY,
  account: KNOWN,
  scopes: ["admin"],
  state: "valid",
  created_at: 1,
  revoked_at: 0,
  expires_at: 9,
}

describe("an operator's accounts", () => {
  it("are listed by pages, and shown with what their tasks add up to", async () => {
    const { ask, operator } = await create()
    const { body } = await ask(ACCOUNTS)
    assert.deepEqual(body["accounts"], [SETTINGS])
    await ask(`${ACCOUNTS}?limit=3&cursor=${String(body["next_cursor"])}`)
    const totals = { charged_micros: 40, reserved_micros: 30, unfinished_tasks: 1 }
    const shown = { ...SETTINGS, totals: { ...totals, left_micros: -20 } }
    assert.deepEqual((await ask(ONE)).body, shown)
    assert.deepEqual(operator.asked, [
      ["list accounts", { limit: 20 }],
      ["list accounts", { limit: 3, after: KNOWN }],
      ["find account", KNOWN],
    ])
  })

  it("take what is given, and keep what is not", async () => {
    const { ask, operator } = await create()
    const given = {
      suspended: false,
      create_rate: null,
      read_rate: { requests: 5, window_ms: 60_000 },
      unfinished_tasks: 0,
      running_tasks: null,
      weight: 3,
      budget_micros: 7,
      retention_ms: 1_000,
      max_retention_ms: 0,
      sign_content_urls: true,
    }
    assert.equal((await ask(ONE, "PUT", given)).status, 200)
    await ask(ONE, "PUT", {})
    assert.deepEqual(operator.asked, [
      [
        "set account",
        KNOWN,
        {
          isSuspended: false,
          rates: { create: null, read: { requests: 5, windowMs: 60_000 } },
          unfinishedTasks: 0,
          runningTasks: null,
          weight: 3,
          budgetMicros: 7,
          retentionMs: 1_000,
          maxRetentionMs: 0,
          signsContentUrls: true,
        },
      ],
      ["set account", KNOWN, {}],
    ])
  })

  it("are refused settings out of bounds, by the member's name, and names that are none", async () => {
    const { ask, operator } = await create()
    for (const [body, code, param] of [
      [{ weight: 0 }, "integer_below_min_value", "weight"],
      [{ weight: 1_001 }, "integer_above_max_value", "weight"],
      [{ running_tasks: 0 }, "integer_below_min_value", "running_tasks"],
      [{ unfinished_tasks: -1 }, "integer_below_min_value", "unfinished_tasks"],
      [{ budget_micros: 0.5 }, "invalid_type", "budget_micros"],
      [{ retention_ms: 999 }, "integer_below_min_value", "retention_ms"],
      [{ max_retention_ms: 1e15 }, "integer_above_max_value", "max_retention_ms"],
      [{ suspended: "no" }, "invalid_type", "suspended"],
      [{ read_rate: { requests: 1 } }, "missing_required_parameter", "read_rate.window_ms"],
      [
        { read_rate: { requests: 0, window_ms: 1_000 } },
        "integer_below_min_value",
        "read_rate.requests",
      ],
      [{ suspended_at: 1 }, "unknown_parameter", "suspended_at"],
    ] as const) {
      assert.deepEqual(toError(await ask(ONE, "PUT", body)), [400, code, param])
    }
    const nameless = await ask(`${ACCOUNTS}/%00`, "PUT", {})
    assert.deepEqual(toError(nameless), [400, "invalid_value", "account"])
    assert.deepEqual(operator.asked, [])
  })

  it("lose their links at a word", async () => {
    const { ask, operator } = await create()
    assert.equal((await ask(`${ONE}/links/revoke`, "POST")).status, 204)
    assert.deepEqual(operator.asked, [["revoke links", KNOWN]])
  })

  it("must be there", async () => {
    const { ask, operator } = await create()
    for (const [path, method, body] of [
      ["", "GET"],
      ["/keys", "GET"],
      ["/keys", "POST", {}],
      ["/links/revoke", "POST"],
    ] as const) {
      for (const name of ["nobody", "%00"]) {
        const answer = await ask(`${ACCOUNTS}/${name}${path}`, method, body)
        assert.deepEqual(toError(answer), [404, "account_not_found", undefined])
      }
    }
    assert.ok(!JSON.stringify(operator.asked).includes("\\u0000"), "no storage is asked for it")
  })
})

describe("an account's keys, to an operator,", () => {
  it("are listed without a secret", async () => {
    const { ask } = await create()
    assert.deepEqual((await ask(KEYS)).body, { keys: [KEY] })
  })

  it("are made with what is asked, and the secret is shown", async () => {
    const { ask, operator, logged } = await create()
    const scopes = ["admin", "tasks:read", "admin"]
    const { body, status } = await ask(KEYS, "POST", { scopes, expires_in: 60 })
    assert.deepEqual([status, body], [201, { ...KEY, key: "sl_live_secret" }])
    await ask(KEYS, "POST", {})
    assert.deepEqual(operator.asked, [
      ["create key", { account: KNOWN, scopes: ["tasks:read", "admin"], lifetimeMs: 60_000 }],
      ["create key", { account: KNOWN }],
    ])
    assert.ok(!JSON.stringify(logged).includes("sl_live_secret"))
  })

  it("are replaced, and the old one ends after its grace", async () => {
    const { ask, operator } = await create()
    const path = `${KEYS}/${VALID_KEY}/rotate`
    const { body, status } = await ask(path, "POST", { grace_seconds: 5, expires_in: 60 })
    assert.deepEqual([status, body], [201, { ...KEY, key: "sl_live_secret", replaced: KEY }])
    await ask(path, "POST", {})
    const name = { account: KNOWN, id: VALID_KEY }
    assert.deepEqual(operator.asked, [
      ["rotate key", { ...name, graceMs: 5_000, lifetimeMs: 60_000 }],
      ["rotate key", { ...name, graceMs: 0 }],
    ])
    const revoked = await ask(`${KEYS}/${REVOKED_KEY}/rotate`, "POST", {})
    assert.deepEqual(toError(revoked), [409, "key_revoked", undefined])
  })

  it("are revoked, and one that the account does not have is unknown", async () => {
    const { ask, operator } = await create()
    const { body } = await ask(`${KEYS}/${VALID_KEY}/revoke`, "POST")
    assert.deepEqual([body["state"], body["revoked_at"]], ["revoked", 3])
    operator.asked.length = 0
    for (const word of ["revoke", "rotate"]) {
      const sent = word === "rotate" ? {} : undefined
      for (const id of ["9999999999", "short", "%00"]) {
        const answer = await ask(`${KEYS}/${id}/${word}`, "POST", sent)
        assert.deepEqual(toError(answer), [404, "key_not_found", undefined])
      }
    }
    assert.equal(operator.asked.length, 2, "no storage is asked for what is no key's id")
  })

  it("take no other terms, and the refusal names the member", async () => {
    const { ask, operator } = await create()
    for (const [path, body, code, param] of [
      [KEYS, { scopes: [] }, "array_below_min_length", "scopes"],
      [KEYS, { scopes: ["all"] }, "invalid_value", "scopes[0]"],
      [KEYS, { expires_in: 0 }, "integer_below_min_value", "expires_in"],
      [KEYS, { name: "laptop" }, "unknown_parameter", "name"],
      [
        `${KEYS}/${VALID_KEY}/rotate`,
        { grace_seconds: -1 },
        "integer_below_min_value",
        "grace_seconds",
      ],
    ] as const) {
      assert.deepEqual(toError(await ask(path, "POST", body)), [400, code, param])
    }
    assert.deepEqual(operator.asked, [])
  })
})
