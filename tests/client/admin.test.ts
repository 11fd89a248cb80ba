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
    const event = { at: 1, data: "{}", hash: "ab", schema: 1, task: "a", type: "t", version: 1 }
    const cancelled = { outcome: "stopped", charge_micros: 0, charge_limit_micros: 0, task }
    const { client, requests } = createScriptedClient([
      json(200, { tasks: [task], next_cursor: "next" }),
      json(200, task),
      json(200, { task_id: "a b", events: [event] }),
      json(200, cancelled),
      json(200, task),
      json(200, { tasks: [{ ...task, account: 5 }], next_cursor: null }),
      json(200, { events: [{ ...event, hash: 5 }] }),
    ])
    const { admin } = client
    const page = await admin.tasks({ account: "é", status: "failed", limit: 5, cursor: "c" })
    assert.deepEqual(page, { tasks: [task], next_cursor: "next" })
    assert.deepEqual(await admin.task("a b"), task)
    assert.deepEqual(await admin.taskEvents("a b"), [event])
    assert.deepEqual(await admin.cancelTask("a b"), cancelled)
    assert.deepEqual(await admin.resolveTask("a b", { adopt: "op" }), task)
    const isNonsense = (error: unknown) => isApiError(error) && error.code === "invalid_answer"
    await assert.rejects(admin.tasks(), isNonsense)
    await assert.rejects(admin.taskEvents("a"), isNonsense)
    assert.deepEqual(
      requests.slice(0, 5).map(({ method, target }) => `${method} ${target}`),
      [
        "GET /v1/admin/tasks?account=%C3%A9&status=failed&limit=5&cursor=c",
        "GET /v1/admin/tasks/a%20b",
        "GET /v1/admin/tasks/a%20b/events",
        "POST /v1/admin/tasks/a%20b/cancel",
        "POST /v1/admin/tasks/a%20b/resolve",
      ],
    )
    assert.equal(requests[4]?.body, '{"adopt":"op"}')
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
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await assert.rejects(readAll(client.admin.audit("verify")), isExpected)
      assert.equal(requests.length, 1)
    }
  })
})
