/** What an operator is shown and may do by HTTP, in process and over a socket. */
import assert from "node:assert/strict"
import { afterEach, describe, it } from "node:test"
import type { HttpSettings } from "@safelight/http"
import { until } from "../../support/until.ts"
import { LAST_CHANGE } from "./fake-insight.ts"
import { KNOWN, VALID_KEY } from "./fake-operator-accounts.ts"
import { IN_DOUBT } from "./fake-operator-tasks.ts"
import { JSON_TYPE } from "./operator-call-parts.ts"
import { createWorld, WORLDS } from "./worlds.ts"

const CHANNELS = "/v1/admin/channels"
const CHANGES = "/v1/admin/changes"
const AUDITS = "/v1/admin/audits"

for (const world of WORLDS) {
  describe(`an operator, ${world}`, () => {
    const closers: (() => Promise<unknown>)[] = []
    afterEach(async () => {
      for (const close of closers.splice(0).toReversed()) await close()
    })

    async function create(settings: Partial<HttpSettings> = {}) {
      const opened = await createWorld(world, { settings })
      closers.push(() => opened.close())
      const authorization = `Bearer ${opened.keys.add({ scopes: ["admin"] })}`
      const call = (path: string, method = "GET") =>
        opened.bare(path, { method, headers: { authorization } })
      const read = async (path: string, method?: string): Promise<unknown> => {
        const response = await call(path, method)
        assert.equal(response.status, 200)
        return response.json()
      }
      const audit = (body: object) => {
        const headers = { authorization, "content-type": "application/json" }
        return opened.bare(AUDITS, { method: "POST", headers, body: JSON.stringify(body) })
      }
      return { ...opened, audit, call, read }
    }

    it("sees the channels, with figures and standing", async () => {
      const { read } = await create()
      const { channels } = (await read(CHANNELS)) as { channels: unknown[] }
      const at = { at: 3_600, succeeded: 3, failed: 1, deferred: 2 }
      const money = { charge_micros: 90_000, cost_micros: 23, unknown_costs: 4 }
      assert.deepEqual(channels[0], {
        name: "studio",
        state: "running",
        paused_at: 0,
        in_flight: 2,
        type: "studio",
        tier: 1,
        weight: 2,
        models: ["model-a"],
        upstreams: { "model-a": "own-a" },
        left_out: null,
        left_alone_by: 1,
        troubles: [
          {
            reason: "provider_out_of_money",
            words: "Exhausted balance",
            since: 1,
            add: null,
          },
          {
            reason: "output_host_refused",
            words: "files.example",
            since: 2,
            add: '"outputHosts": ["files.example"]',
          },
        ],
        limits: { concurrency: 2, requests_per_minute: null },
        hours: [{ ...at, ...money, p50_ms: 5, p95_ms: null }],
      })
      const gone = channels[1] as Record<string, unknown>
      assert.deepEqual(
        [gone["state"], gone["paused_at"], gone["type"], gone["limits"], gone["hours"]],
        ["draining", 5, null, null, []],
      )
    })

    it("pauses, drains, resumes and checks a channel that there is", async () => {
      const { call, operator, read } = await create()
      const standing = { name: "gone", state: "draining", paused_at: 5, in_flight: 2 }
      for (const word of ["pause", "drain", "resume"]) {
        assert.deepEqual(await read(`${CHANNELS}/gone/${word}`, "POST"), standing)
      }
      const found = { name: "studio", type: "studio", key: "none", problems: ["no models"] }
      assert.deepEqual(await read(`${CHANNELS}/studio/check`, "POST"), { ...found, notes: [] })
      assert.deepEqual(operator.asked, [
        ["pause", "gone"],
        ["pause", "gone"],
        ["resume", "gone"],
        ["check", "studio"],
      ])
      for (const word of ["pause", "drain", "resume", "check"]) {
        const response = await call(`${CHANNELS}/n%20o/${word}`, "POST")
        assert.equal(response.status, 404)
        assert.match(await response.text(), /"channel_not_found"/)
      }
      assert.deepEqual(operator.asked.at(-1), ["check", "n o"])
    })

    it("sees usage of a period, by what is asked", async () => {
      const { call, operator, read } = await create()
      const path = "/v1/admin/usage?by=day&account=acme&from=10&to=20"
      assert.deepEqual(await read(path), {
        by: "day",
        from: 10,
        to: 20,
        rows: [
          {
            name: "2026-01-01",
            tasks: 4,
            succeeded: 3,
            failed: 1,
            charge_micros: 90,
            cost_micros: 100,
            unknown_costs: 1,
            margin_micros: -10,
          },
        ],
        has_more: true,
      })
      await read("/v1/admin/usage?by=channel&from=9999999999")
      const open = { from: 9_999_999_999_000, to: 9_999_999_999_000 }
      assert.deepEqual(operator.asked, [
        { by: "day", account: "acme", from: 10_000, to: 20_000 },
        { by: "channel", ...open },
      ])
      for (const [query, param] of [
        ["", "by"],
        ["?by=hour", "by"],
        ["?by=day&from=2&to=1", "to"],
        ["?by=day&by=model", "by"],
      ] as const) {
        const response = await call(`/v1/admin/usage${query}`)
        assert.equal(response.status, 400, query)
        const { error } = (await response.json()) as { error: { param: string } }
        assert.equal(error.param, param)
      }
    })

    it("sees the system", async () => {
      const { read } = await create()
      const system = (await read("/v1/admin/system")) as Record<string, unknown>
      assert.deepEqual(system["versions"], { service: "1.2.3", node: "v26" })
      const waiting = { new: 1, due: 2, held: 3, oldest_waiting_ms: 50 }
      const accounts = [{ account: "account-a", tasks: 3 }]
      assert.deepEqual(system["queue"], { ...waiting, accounts })
      const moments = { started_at: 1, heartbeat_at: 9 }
      const unknown = { host: null, role: null, started_at: null, heartbeat_at: null }
      assert.deepEqual(system["nodes"], [
        { lease: "l1", host: "north", role: "worker", ...moments, in_flight: 3 },
        { lease: "l2", ...unknown, in_flight: 0 },
      ])
      assert.equal(system["started_at"], 7)
    })

    it("sees what was changed, by pages", async () => {
      const { operator, read } = await create()
      const shown = {
        id: LAST_CHANGE,
        created_at: 1_767_225_600,
        changed_by: "0123456789",
        change: "account_set",
        target: "acme",
        account: "acme",
        details: { settings: { budget_micros: 5, sign_content_urls: true, suspended_at: 2 } },
      }
      const page = (await read(CHANGES)) as { changes: object[]; next_cursor: string }
      assert.deepEqual(page.changes, [shown])
      await read(`${CHANGES}?limit=3&cursor=${page.next_cursor}`)
      assert.deepEqual(operator.asked, [
        ["changes", { limit: 20 }],
        ["changes", { limit: 3, before: LAST_CHANGE }],
      ])
    })

    it("is named with each change, by the id of the key", async () => {
      const { bare, keys, operator } = await create()
      const key = keys.add({ scopes: ["admin"] })
      const account = `/v1/admin/accounts/${encodeURIComponent(KNOWN)}`
      const task = `/v1/admin/tasks/${IN_DOUBT}`
      const changes: readonly (readonly [path: string, method: string, body?: object])[] = [
        [`${CHANNELS}/studio/pause`, "POST"],
        [`${CHANNELS}/studio/drain`, "POST"],
        [`${CHANNELS}/studio/resume`, "POST"],
        [account, "PUT", {}],
        [`${account}/links/revoke`, "POST"],
        [`${account}/keys`, "POST", {}],
        [`${account}/keys/${VALID_KEY}/revoke`, "POST"],
        [`${account}/keys/${VALID_KEY}/rotate`, "POST", {}],
        [`${task}/cancel`, "POST"],
        [`${task}/resolve`, "POST", { fail: true }],
      ]
      for (const [path, method, body] of changes) {
        const headers = { authorization: `Bearer ${key}`, ...(body && JSON_TYPE) }
        const sent = body && { body: JSON.stringify(body) }
        const { status } = await bare(path, { method, headers, ...sent })
        assert.ok(status < 300, `${path}: ${status}`)
      }
      const id = key.slice("sl_live_".length, "sl_live_".length + 10)
      assert.deepEqual(
        operator.changers,
        Array.from(changes, () => id),
      )
    })

    it("needs the scope, which no other includes, and which includes no other", async () => {
      const { audit, bare, call, keys, operator } = await create()
      assert.equal((await call("/v1/tasks")).status, 403)
      assert.equal((await call("/v1/stream")).status, 403)
      const others = ["tasks:write", "tasks:read", "artifacts:read", "links:write"] as const
      const scopes = [...others, "webhooks:write"] as const
      const authorization = `Bearer ${keys.add({ scopes })}`
      for (const [path, method] of [
        [CHANNELS, "GET"],
        [`${CHANNELS}/studio/pause`, "POST"],
        [`${CHANNELS}/studio/check`, "POST"],
        ["/v1/admin/usage?by=day", "GET"],
        ["/v1/admin/system", "GET"],
        [CHANGES, "GET"],
        [AUDITS, "POST"],
      ] as const) {
        const refused = await bare(path, { method, headers: { authorization } })
        assert.equal(refused.status, 403, path)
        assert.equal((await bare(path, { method })).status, 401)
      }
      assert.deepEqual(operator.asked, [])
      assert.equal((await audit({ kind: "replay" })).status, 200)
    })

    it("watches an audit to its report, and then another", async () => {
      const { audit, operator } = await create()
      for (const kind of ["verify", "replay"]) {
        const answer = await audit({ kind })
        assert.equal(answer.headers.get("content-type"), "text/event-stream")
        assert.equal(answer.headers.get("cache-control"), "no-store")
        const counts = (tasks: number) => ({ tasks, events: tasks * 4, finding_count: 0 })
        const finding = { kind: "hash-differs", task_id: "t", version: 2, words: "t: no" }
        const more = { foreign_rows: 0, charge_micros: 7, findings: [finding] }
        assert.deepEqual(toMessages(await answer.text()), [
          ["1", "progress", counts(1)],
          ["2", "progress", counts(2)],
          ["3", "report", { ...counts(3), outcome: "could_not_tell", ...more }],
        ])
        await until(() => !operator.isRunning())
      }
      assert.deepEqual(operator.asked, [
        ["audit", "verify"],
        ["audit", "replay"],
      ])
    })

    it("runs one audit at a time, which reads no further than its client does", async () => {
      const { audit, operator } = await create()
      operator.setPages(Number.MAX_SAFE_INTEGER)
      const first = await audit({ kind: "verify" })
      const second = await audit({ kind: "verify" })
      assert.equal(second.status, 409)
      assert.match(await second.text(), /"audit_running"/)
      const held = await untilStill(operator.reads)
      const reader = first.body?.getReader() ?? assert.fail()
      while (operator.reads() === held) await reader.read()
      await reader.cancel()
      await until(() => !operator.isRunning())
      operator.setPages(1)
      assert.match(await (await audit({ kind: "replay" })).text(), /event: report/)
    })

    it("loses its audit when the service stops, without a report", async () => {
      const { audit, operator } = await create()
      operator.setPages(Number.MAX_SAFE_INTEGER)
      const answer = await audit({ kind: "verify" })
      operator.stop()
      assert.doesNotMatch(await answer.text(), /event: report/)
      assert.equal(operator.isRunning(), false)
    })

    it("learns nothing more once its key is revoked", async () => {
      const { bare, clock, keys, operator } = await create()
      operator.setPages(Number.MAX_SAFE_INTEGER)
      const text = keys.add({ scopes: ["admin"] })
      const headers = { authorization: `Bearer ${text}`, "content-type": "application/json" }
      const answer = await bare(AUDITS, { method: "POST", headers, body: '{"kind":"verify"}' })
      keys.change(text, { revokedAt: 1 })
      await clock.advance(1_000)
      assert.doesNotMatch(await answer.text(), /event: report/)
      await until(() => !operator.isRunning())
    })
  })
}

function toMessages(text: string): unknown[] {
  const blocks = text.split("\n\n").filter((block) => block.startsWith("id: "))
  return blocks.map((block) => {
    const [id = "", event = "", data = ""] = block.split("\n")
    return [id.slice(4), event.slice(7), JSON.parse(data.slice(6)) as unknown]
  })
}

/** The count once it has stayed the same for many turns of the event loop. */
async function untilStill(count: () => number): Promise<number> {
  let last = count()
  let turns = 0
  await until(() => {
    turns = count() === last ? turns + 1 : 0
    last = count()
    return turns >= 20
  })
  return last
}
