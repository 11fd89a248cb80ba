/** What operators change in a service: each change has its record and its log line, with who made it. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createKey } from "@safelight/access"
import { createClient, isApiError, type Client } from "@safelight/client"
import { SafelightError, SILENT_LOG, type Log, type LogFields } from "@safelight/core"
import { createManualClock, createMemoryStorage } from "@safelight/testkit"
import {
  createServiceOperator,
  createRecentCommits,
  createService,
  DEFAULTS,
  type Service,
} from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const MODEL = "vendor-a/v4.1/flash/text-to-image"

type Changes = Awaited<ReturnType<Client["admin"]["changes"]>>["changes"]

describe("an operator's change", () => {
  const resources = new AsyncDisposableStack()
  const lines: (readonly [message: string, fields: LogFields])[] = []
  let service: Service
  let operator: Client
  let operatorId: string

  const toClient = (key: string): Client =>
    createClient({ url: service.url, key, settings: { tries: 1 } })

  /** What was recorded and logged while `act` ran. */
  async function listNew(act: () => Promise<unknown>): Promise<{
    readonly recorded: Changes
    readonly logged: readonly LogFields[]
  }> {
    const [newest] = (await operator.admin.changes({ limit: 1 })).changes
    const known = lines.length
    await act()
    const { changes } = await operator.admin.changes({ limit: 100 })
    const count = changes.findIndex(({ id }) => id === newest?.id)
    const recorded = changes.slice(0, count < 0 ? undefined : count).toReversed()
    const own = lines.slice(known).filter(([message]) => message === "operator")
    return { recorded, logged: own.map(([, fields]) => fields) }
  }

  before(async () => {
    const { path: data } = resources.use(await createTemporaryFolder())
    const note = (fields: LogFields, message: string) => void lines.push([message, fields])
    const log: Log = { info: note, warn: note, error: note }
    const configuration = { ...DEFAULTS, port: 0, stopGraceMs: 0, data }
    service = await createService({ configuration, log })
    resources.defer(() => service.stop())
    const request = { keys: service.storage, account: "operations", scopes: ["admin"] as const }
    const made = await createKey({ ...request, now: Date.now() })
    operator = toClient(made.key)
    operatorId = made.id
  })
  after(() => resources.disposeAsync())

  it("of an account, its keys and its links is recorded and logged with the operator's key", async () => {
    const { accounts } = operator.admin
    const ids: string[] = []
    const { logged, recorded } = await listNew(async () => {
      await accounts.set("acme", { suspended: false })
      await accounts.set("acme", { budget_micros: 5, read_rate: null })
      const made = await accounts.createKey("acme", { scopes: ["tasks:read"] })
      const next = await accounts.rotateKey("acme", made.id, { grace_seconds: 60 })
      await accounts.revokeKey("acme", next.id)
      await accounts.revokeLinks("acme")
      ids.push(made.id, next.id)
    })
    const [made = "", next = ""] = ids
    assert.deepEqual(
      recorded.map(({ change, target }) => [change, target]),
      [
        ["account_set", "acme"],
        ["account_set", "acme"],
        ["key_created", made],
        ["key_rotated", made],
        ["key_revoked", next],
        ["links_revoked", "acme"],
      ],
    )
    for (const change of recorded) {
      assert.deepEqual([change.changed_by, change.account], [operatorId, "acme"])
      assert.ok(Math.abs(change.created_at - Date.now() / 1_000) < 600)
    }
    const [, set, created, rotated] = recorded.map(({ details }) => details)
    const { budget_micros: budget, read_rate: rate } = set?.settings ?? {}
    assert.deepEqual([budget, rate], [5, null])
    assert.ok(!("weight" in (set?.settings ?? {})), "it was not given")
    assert.deepEqual(created, { scopes: ["tasks:read"], expires_at: 0 })
    assert.equal(rotated?.successor, next)
    assert.deepEqual(
      logged,
      recorded.map(({ change, target }) => ({
        changedBy: operatorId,
        change: change.replaceAll("_", "-"),
        target,
        account: "acme",
      })),
    )
  })

  it("of a channel and of a task is recorded and logged with the operator's key", async () => {
    const { admin } = operator
    await admin.accounts.set("buyer", {})
    const { key } = await admin.accounts.createKey("buyer")
    let task = ""
    const { logged, recorded } = await listNew(async () => {
      await admin.pauseChannel("studio")
      task = (await toClient(key).submit(MODEL, { prompt: "fog" })).task_id
      await admin.cancelTask(task)
      await admin.resumeChannel("studio")
    })
    assert.deepEqual(
      recorded.map(({ account, change, changed_by: by, target }) => [change, target, account, by]),
      [
        ["channel_paused", "studio", null, operatorId],
        ["task_cancelled", task, "buyer", operatorId],
        ["channel_resumed", "studio", null, operatorId],
      ],
    )
    assert.equal(logged.length, 3)
  })

  it("that changes nothing is not recorded", async () => {
    const { admin } = operator
    const hasCode = (code: string) => (error: unknown) => isApiError(error) && error.code === code
    const { logged, recorded } = await listNew(async () => {
      await assert.rejects(admin.accounts.createKey("nobody"), hasCode("account_not_found"))
      await assert.rejects(admin.accounts.revokeKey("acme", "0123456789"), hasCode("key_not_found"))
      await assert.rejects(admin.accounts.revokeLinks("nobody"), hasCode("account_not_found"))
      await assert.rejects(admin.pauseChannel("nobody"), hasCode("channel_not_found"))
      await assert.rejects(admin.cancelTask("nothing"), hasCode("task_not_found"))
    })
    assert.deepEqual([logged, recorded], [[], []])
  })

  it("by the link that signs a browser in is recorded as such", async () => {
    const token = await service.signIn.issue("operations")
    const { recorded } = await listNew(async () => {
      const body = JSON.stringify({ token })
      const headers = { "content-type": "application/json" }
      const answer = await fetch(`${service.url}/v1/sign-in`, { method: "POST", headers, body })
      assert.equal(answer.status, 201)
    })
    assert.deepEqual(
      recorded.map(({ account, change, changed_by: by }) => [change, account, by]),
      [["key_created", "operations", "sign-in"]],
    )
  })

  it("shows and logs no secret", async () => {
    const text = JSON.stringify([await operator.admin.changes({ limit: 100 }), lines])
    assert.ok(text.includes("key_created"))
    assert.doesNotMatch(text, /sl_live_|[0-9a-f]{64}/)
  })

  it("that can't be recorded is not made", async () => {
    const storage = createMemoryStorage()
    const clock = createManualClock()
    const insight = createServiceOperator({
      configuration: DEFAULTS,
      environment: {},
      storage,
      clock,
      log: SILENT_LOG,
      commits: createRecentCommits(clock),
      engine: service.engine,
      routes: [],
      serviceVersion: "1.2.3",
      startedAt: 0,
    })
    resources.defer(async () => insight.stop())
    const { accounts, channels } = insight
    await accounts.setAccount("acme", {}, "key")
    const made = await accounts.createKey({ account: "acme" }, "key")
    assert.ok(made !== undefined)
    const stored = await storage.findKey(made.view.id)
    storage.addOperatorChange = () =>
      Promise.reject(
        new SafelightError({ code: "storage-unavailable", message: "away", retryable: true }),
      )
    const away = { code: "storage-unavailable" }
    const name = { account: "acme", id: made.view.id }
    await assert.rejects(accounts.setAccount("other", {}, "key"), away)
    await assert.rejects(accounts.createKey({ account: "acme" }, "key"), away)
    await assert.rejects(accounts.revokeKey(name, "key"), away)
    await assert.rejects(accounts.rotateKey({ ...name, graceMs: 0 }, "key"), away)
    await assert.rejects(channels.pauseChannel("studio", "key"), away)
    assert.deepEqual(await storage.listKeys(), [stored])
    assert.equal(await storage.findAccount("other"), undefined)
    assert.deepEqual(await storage.listPausedChannels(), [])
  })
})

describe("a request that is refused for what its key lacks", () => {
  it("leaves a line that names the account and the key", async () => {
    await using resources = new AsyncDisposableStack()
    const { path: data } = resources.use(await createTemporaryFolder())
    const lines: (readonly [message: string, fields: LogFields])[] = []
    const note = (fields: LogFields, message: string) => void lines.push([message, fields])
    const configuration = { ...DEFAULTS, port: 0, stopGraceMs: 0, data }
    const log: Log = { info: note, warn: note, error: note }
    const service = await createService({ configuration, log })
    resources.defer(() => service.stop())
    const request = { keys: service.storage, now: Date.now() }
    const reading = await createKey({ ...request, account: "reader", scopes: ["tasks:read"] })
    const suspended = await createKey({ ...request, account: "suspended" })
    const settings = { suspendedAt: 1 }
    await service.storage.setAccount({ id: "suspended", now: Date.now(), settings })
    for (const { account, id, key } of [reading, suspended]) {
      const answer = await fetch(`${service.url}/v1/quotes`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: "{}",
      })
      assert.equal(answer.status, 403)
      const [, fields] = lines.filter(([message]) => message === "request").at(-1) ?? []
      assert.deepEqual(
        [fields?.["status"], fields?.["account"], fields?.["keyId"]],
        [403, account, id],
      )
    }
  })
})
