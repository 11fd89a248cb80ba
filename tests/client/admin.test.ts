/** The operator's calls: what is asked for, what answers are taken, and an audit from its first page to its report. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isApiError, type AuditMessage } from "@safelight/client"
import { createScriptedClient, json, refusal, type Answer } from "./scripted-client.ts"

const STANDING = { name: "a b", state: "paused", paused_at: 1, in_flight: 0 }
const COUNTS = { tasks: 1, events: 3, finding_count: 0 }
const REPORT = { ...COUNTS, outcome: "whole", foreign_rows: 0, charge_micros: 5, findings: [] }

function events(...blocks: readonly (readonly [event: string, data: object])[]): Answer {
  const texts = blocks.map(([event, data], index) => {
    return `id: ${index}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  })
  const headers = { "content-type": "text/event-stream" }
  return () => new Response(`retry: 700\n\n:\n\n${texts.join("")}`, { headers })
}

async function readAll(messages: AsyncIterable<AuditMessage>): Promise<AuditMessage[]> {
  const seen: AuditMessage[] = []
  for await (const message of messages) seen.push(message)
  return seen
}

describe("an operator's client", () => {
  it("asks for channels, usage and the system", async () => {
    const channels = [{ ...STANDING, hours: [] }]
    const usage = { by: "day", rows: [{ name: "2026-01-01", charge_micros: 5 }] }
    const system = { versions: {}, queue: {}, commits: {}, nodes: [] }
    const { client, requests } = createScriptedClient([
      json(200, { channels }),
      json(200, usage),
      json(200, system),
    ])
    assert.deepEqual(await client.admin.channels(), channels)
    assert.deepEqual(await client.admin.usage({ by: "day", account: "é", from: 1, to: 2 }), usage)
    assert.deepEqual(await client.admin.system(), system)
    assert.deepEqual(
      requests.map(({ target }) => target),
      [
        "/v1/admin/channels",
        "/v1/admin/usage?by=day&account=%C3%A9&from=1&to=2",
        "/v1/admin/system",
      ],
    )
  })

  it("steers a channel by its name, again where nothing answered", async () => {
    const check = { name: "a b", type: "fal", key: "taken", problems: [], notes: [] }
    const answers = [
      json(200, STANDING),
      refusal(503, "overloaded"),
      json(200, STANDING),
      json(200, STANDING),
    ]
    const { client, requests } = createScriptedClient([...answers, json(200, check)])
    assert.deepEqual(await client.admin.pauseChannel("a b"), STANDING)
    assert.deepEqual(await client.admin.drainChannel("a b"), STANDING)
    assert.deepEqual(await client.admin.resumeChannel("a b"), STANDING)
    assert.deepEqual(await client.admin.checkChannel("a b"), check)
    assert.deepEqual(
      requests.map(({ method, target }) => `${method} ${target.split("/").at(-1)}`),
      ["POST pause", "POST drain", "POST drain", "POST resume", "POST check"],
    )
    assert.equal(requests[0]?.target, "/v1/admin/channels/a%20b/pause")
  })

  it("asks for what was changed, by pages", async () => {
    const change = { id: "a", change: "key_revoked", changed_by: "command", target: "b" }
    const page = { changes: [{ ...change, account: null, details: {} }], next_cursor: "next" }
    const { client, requests } = createScriptedClient([
      json(200, page),
      json(200, { ...page, next_cursor: null }),
      json(200, { changes: [{ ...change, target: 5 }], next_cursor: null }),
    ])
    assert.deepEqual(await client.admin.changes({ limit: 1 }), page)
    assert.equal((await client.admin.changes({ cursor: "next" })).next_cursor, null)
    const isNonsense = (error: unknown) => isApiError(error) && error.code === "invalid_answer"
    await assert.rejects(client.admin.changes(), isNonsense)
    assert.deepEqual(
      requests.slice(0, 2).map(({ target }) => target),
      ["/v1/admin/changes?limit=1", "/v1/admin/changes?cursor=next"],
    )
  })

  it("refuses an answer that lacks what is promised", async () => {
    const odd = Array.from({ length: 20 }, () => json(200, { channels: [{ name: "a" }] }))
    const { client } = createScriptedClient(odd)
    const isInvalid = (error: unknown) => isApiError(error) && error.code === "invalid_answer"
    await assert.rejects(client.admin.channels(), isInvalid)
  })

  it("reads an audit to its report, and sends what is wanted", async () => {
    const { client, requests } = createScriptedClient([
      events(["progress", COUNTS], ["report", REPORT]),
    ])
    assert.deepEqual(await readAll(client.admin.audit("replay")), [
      { type: "progress", ...COUNTS },
      { type: "report", ...REPORT },
    ])
    assert.equal(`${requests[0]?.method} ${requests[0]?.target}`, "POST /v1/admin/audits")
    assert.equal(requests[0]?.body, '{"kind":"replay"}')
  })

  it("asks for tasks of all accounts, their log, and what becomes of them", async () => {
    const task = {
      account: "acme",
      task_id: "a b",
      model: "m",
      status: "failed",
      progress: 0,
      created_at: 1,
      finished_at: 2,
      error: null,
    }
    const named = { task: "a", type: "t" }
    const event = { at: 1, data: "{}", hash: "ab", schema: 1, sealed: null, ...named, version: 1 }
    const next = { ...event, sealed: "{}", version: 2 }
    const cancelled = { outcome: "stopped", charge_micros: 0, charge_limit_micros: 0, task }
    const { client, requests } = createScriptedClient([
      json(200, { tasks: [task], next_cursor: "next" }),
      json(200, task),
      json(200, { task_id: "a b", events: [event], next_cursor: "behind" }),
      json(200, { task_id: "a b", events: [next], next_cursor: null }),
      json(200, cancelled),
      json(200, task),
      json(200, { tasks: [{ ...task, account: 5 }], next_cursor: null }),
      json(200, { events: [{ ...event, hash: 5 }], next_cursor: null }),
      json(200, { events: [{ ...event, sealed: 5 }], next_cursor: null }),
      json(200, { events: [event], next_cursor: "same" }),
      json(200, { events: [event], next_cursor: "same" }),
    ])
    const { admin } = client
    const page = await admin.tasks({ account: "é", status: "failed", limit: 5, cursor: "c" })
    assert.deepEqual(page, { tasks: [task], next_cursor: "next" })
    assert.deepEqual(await admin.task("a b"), task)
    assert.deepEqual(await admin.taskEvents("a b"), [event, next])
    assert.deepEqual(await admin.cancelTask("a b"), cancelled)
    assert.deepEqual(await admin.resolveTask("a b", { adopt: "op" }), task)
    const isNonsense = (error: unknown) => isApiError(error) && error.code === "invalid_answer"
    await assert.rejects(admin.tasks(), isNonsense)
    await assert.rejects(admin.taskEvents("a"), isNonsense)
    await assert.rejects(admin.taskEvents("a"), isNonsense)
    await assert.rejects(admin.taskEvents("b"), isNonsense)
    assert.deepEqual(
      requests.slice(0, 6).map(({ method, target }) => `${method} ${target}`),
      [
        "GET /v1/admin/tasks?account=%C3%A9&status=failed&limit=5&cursor=c",
        "GET /v1/admin/tasks/a%20b",
        "GET /v1/admin/tasks/a%20b/events",
        "GET /v1/admin/tasks/a%20b/events?cursor=behind",
        "POST /v1/admin/tasks/a%20b/cancel",
        "POST /v1/admin/tasks/a%20b/resolve",
      ],
    )
    assert.equal(requests[5]?.body, '{"adopt":"op"}')
  })

  it("asks for accounts and keys, and sends what makes a secret once", async () => {
    const account = { account: "é/a", created_at: 1, totals: {} }
    const key = { account: "é/a", id: "k", scopes: ["admin"], state: "valid" }
    const made = { ...key, key: "sl_live_x" }
    const { client, requests } = createScriptedClient([
      json(200, { accounts: [account], next_cursor: null }),
      json(200, account),
      refusal(503, "service_unavailable"),
      json(200, account),
      json(200, { keys: [key] }),
      json(201, made),
      json(200, key),
      json(201, { ...made, replaced: key }),
      () => new Response(null, { status: 204 }),
      refusal(503, "service_unavailable"),
      refusal(503, "service_unavailable"),
      json(201, key),
      json(200, { accounts: [{}], next_cursor: null }),
    ])
    const { accounts } = client.admin
    assert.equal((await accounts.list({ limit: 2, cursor: "c" })).next_cursor, null)
    assert.deepEqual(await accounts.get("é/a"), account)
    assert.deepEqual(await accounts.set("é/a", { weight: 2, read_rate: null }), account)
    assert.deepEqual(await accounts.keys("é/a"), [key])
    assert.deepEqual(await accounts.createKey("é/a", { scopes: ["admin"] }), made)
    assert.deepEqual(await accounts.revokeKey("é/a", "k"), key)
    const rotated = await accounts.rotateKey("é/a", "k", { grace_seconds: 5 })
    assert.deepEqual(rotated.replaced, key)
    await accounts.revokeLinks("é/a")
    const hasCode = (code: string) => (error: unknown) => isApiError(error) && error.code === code
    await assert.rejects(accounts.createKey("a"), hasCode("service_unavailable"))
    await assert.rejects(accounts.rotateKey("a", "k"), hasCode("service_unavailable"))
    await assert.rejects(accounts.createKey("a"), hasCode("invalid_answer"))
    await assert.rejects(accounts.list(), hasCode("invalid_answer"))
    const one = "/v1/admin/accounts/%C3%A9%2Fa"
    const settings = `PUT ${one} {"weight":2,"read_rate":null}`
    assert.deepEqual(
      requests.slice(0, 9).map(({ body, method, target }) => `${method} ${target} ${body ?? ""}`),
      [
        "GET /v1/admin/accounts?limit=2&cursor=c ",
        `GET ${one} `,
        settings,
        settings,
        `GET ${one}/keys `,
        `POST ${one}/keys {"scopes":["admin"]}`,
        `POST ${one}/keys/k/revoke `,
        `POST ${one}/keys/k/rotate {"grace_seconds":5}`,
        `POST ${one}/links/revoke `,
      ],
    )
  })

  it("says that an audit broke off, is refused or told nonsense, and tries none again", async () => {
    for (const [answer, code] of [
      [events(["progress", COUNTS]), "incomplete_answer"],
      [events(["report", COUNTS]), "invalid_answer"],
      [events(["progress", { tasks: "1" }]), "invalid_answer"],
      [refusal(409, "audit_running"), "audit_running"],
    ] as const) {
      const { client, requests } = createScriptedClient([answer])
      const isExpected = (error: unknown) => isApiError(error) && error.code === code
      await assert.rejects(readAll(client.admin.audit("verify")), isExpected)
      assert.equal(requests.length, 1)
    }
  })
})
