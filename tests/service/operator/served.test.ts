/** What an operator sees and steers of a whole service, by the client: the studio renders, the log is proved. */
import assert from "node:assert/strict"
import { hostname } from "node:os"
import { after, before, describe, it } from "node:test"
import { createFirstKey, createKey } from "@safelight/access"
import { GENESIS_HASH, hashEvent } from "@safelight/core"
import { sha256 } from "@safelight/engine"
import { createClient, isApiError, type AuditMessage, type Client } from "@safelight/client"
import { createService, DEFAULTS, type Service } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"

const MODEL = "vendor-a/v4.1/flash/text-to-image"

/** Of any event, as far as it is text. */
interface Sealed {
  readonly lease?: string
  readonly locators?: readonly string[]
  readonly salt?: string
  readonly upstreamKey?: string
}

describe("an operator of a service", () => {
  const resources = new AsyncDisposableStack()
  let service: Service
  let client: Client
  let operator: Client

  before(async () => {
    const { path: data } = resources.use(await createTemporaryFolder())
    service = await createService({
      configuration: { ...DEFAULTS, port: 0, stopGraceMs: 1_000, studio: { sandbox: true }, data },
    })
    resources.defer(() => service.stop())
    const key = (await createFirstKey(service.storage, Date.now()))?.key ?? ""
    client = createClient({ url: service.url, key })
    const request = { keys: service.storage, account: "operations", scopes: ["admin"] as const }
    const own = await createKey({ ...request, now: Date.now() })
    operator = createClient({ url: service.url, key: own.key })
    await client.run(MODEL, { prompt: "fog" })
  })
  after(() => resources.disposeAsync())

  it("sees each channel, with what came of its tasks", async () => {
    const channels = await operator.admin.channels()
    assert.deepEqual(
      channels.map(({ hours, left_out: leftOut, limits, name, state }) => [
        [name, state, leftOut, limits?.requests_per_minute],
        hours.map(({ failed, succeeded }) => [succeeded, failed]),
      ]),
      [[["studio", "running", null, null], [[1, 0]]]],
    )
    const tookMs = channels.flatMap(({ hours }) => hours.map((hour) => hour.p50_ms ?? 0))
    assert.ok(tookMs.every((ms) => ms > 0))
  })

  it("sees what tasks were charged, by whatever is asked", async () => {
    const charged = (await client.usage()).charge_micros
    for (const by of ["day", "model", "channel", "account"] as const) {
      const { rows } = await operator.admin.usage({ by })
      assert.deepEqual(
        rows.map((row) => [row.tasks, row.charge_micros]),
        [[1, charged]],
      )
    }
  })

  it("sees the system, and this machine among its nodes", async () => {
    const { commits, database, nodes, role } = await operator.admin.system()
    assert.deepEqual([database.kind, role], ["sqlite", "all"])
    assert.ok(commits.batches > 0 && commits.mean_size >= 1)
    assert.deepEqual(
      nodes.map((node) => [node.host, node.role, node.in_flight]),
      [[hostname(), "all", 0]],
    )
    assert.ok(nodes.every((node) => node.heartbeat_at !== null && node.started_at !== null))
  })

  it("sees the tasks of every account, and their hashed events, without a word of their prompts", async () => {
    const other = await createKey({ keys: service.storage, account: "other", now: Date.now() })
    const theirs = createClient({ url: service.url, key: other.key })
    const prompt = "a secret harbour"
    const { task_id: id } = await theirs.run(MODEL, { prompt })
    const { tasks, next_cursor: cursor } = await operator.admin.tasks({ limit: 1 })
    assert.deepEqual(
      tasks.map((task) => [task.account, task.task_id]),
      [["other", id]],
    )
    assert.notEqual(cursor, null)
    const rest = await operator.admin.tasks({ cursor: cursor ?? "", status: "succeeded" })
    assert.deepEqual(
      rest.tasks.map(({ account }) => account),
      [(await client.me()).account],
    )
    const own = await operator.admin.tasks({ account: "other", model: MODEL })
    assert.equal(own.tasks.length, 1)
    assert.equal((await operator.admin.task(id)).account, "other")
    const events = await operator.admin.taskEvents(id)
    let previous = GENESIS_HASH
    for (const event of events) {
      assert.equal(hashEvent(sha256, previous, event), event.hash)
      previous = event.hash
    }
    assert.equal(events.at(-1)?.type, "succeeded")
    assert.match(events.at(-1)?.sealed ?? "", /^{"cost":.*"locators":\["/)
    const shown = JSON.stringify([await theirs.events(id), events.map(({ data }) => data)])
    const sealed = events.map((event) => JSON.parse(event.sealed ?? "{}") as Sealed)
    const hidden = sealed.flatMap(({ lease, locators, salt, upstreamKey }) =>
      [lease, salt, upstreamKey, ...(locators ?? [])].filter((text) => text !== undefined),
    )
    for (const text of hidden) assert.ok(!shown.includes(text), `${text} in ${shown}`)
    // Of a dispatch three, of an acceptance and a success their salts, and where the picture is.
    assert.equal(hidden.length, 6)
    assert.ok(!JSON.stringify([tasks, events]).includes(prompt))
  })

  it("cancels a task of any account, and settles none that is not in doubt", async () => {
    const { task_id: id } = await client.submit(MODEL, { prompt: "[studio: delay 60s] fog" })
    const isSettled = (error: unknown) => isApiError(error) && error.code === "task_not_in_doubt"
    await assert.rejects(operator.admin.resolveTask(id, { fail: true }), isSettled)
    const { outcome } = await until(
      () => operator.admin.cancelTask(id),
      (cancellation) => cancellation.outcome !== "unknown",
    )
    assert.ok(["cancelled", "stopped"].includes(outcome))
    assert.equal((await operator.admin.task(id)).status, "failed")
    const isUnknown = (error: unknown) => isApiError(error) && error.code === "task_not_found"
    await assert.rejects(operator.admin.task("01a20800-0000-7000-8000-000000000009"), isUnknown)
  })

  it("has a channel drained, which is resumed and checked", async () => {
    const task = await client.submit(MODEL, { prompt: "[studio: delay 60s] fog" })
    const studio = await until(
      async () => (await operator.admin.channels())[0],
      (channel) => channel?.in_flight === 1,
    )
    assert.equal(studio?.state, "running")
    const { state } = await operator.admin.drainChannel("studio")
    assert.equal(state, "draining")
    await until(
      () => client.cancel(task),
      ({ outcome }) => outcome !== "unknown",
    )
    assert.equal((await operator.admin.pauseChannel("studio")).state, "paused")
    assert.equal((await operator.admin.resumeChannel("studio")).state, "running")
    const { key, problems } = await operator.admin.checkChannel("studio")
    assert.deepEqual([key, problems], ["none", []])
    const isUnknown = (error: unknown) => isApiError(error) && error.code === "channel_not_found"
    await assert.rejects(operator.admin.pauseChannel("nobody"), isUnknown)
  })

  it("proves the log, and no account's own key may", async () => {
    for (const kind of ["verify", "replay"] as const) {
      const messages: AuditMessage[] = []
      for await (const message of operator.admin.audit(kind)) messages.push(message)
      const report = messages.at(-1)
      assert.equal(report?.type === "report" && report.outcome, "whole")
      assert.ok((report?.tasks ?? 0) >= 1)
    }
    const isRefused = (error: unknown) => isApiError(error) && error.code === "insufficient_scope"
    await assert.rejects(client.admin.system(), isRefused)
    await assert.rejects(async () => {
      for await (const message of client.admin.audit("verify")) assert.fail(message.type)
    }, isRefused)
    await assert.rejects(operator.listPage(), isRefused)
  })
})
