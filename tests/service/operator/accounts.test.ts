/** Accounts and their keys in a whole service, by the client: what an operator changes counts for their callers. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createKey } from "@safelight/access"
import type { Log, LogFields } from "@safelight/core"
import { createClient, isApiError, type Client } from "@safelight/client"
import { createService, DEFAULTS, type Service } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"

const MODEL = "vendor-a/v4.1/flash/text-to-image"
/** Of one picture. */
const PRICE_MICROS = 10_000

const hasCode = (code: string) => (error: unknown) => isApiError(error) && error.code === code

describe("an operator's accounts in a service", () => {
  const resources = new AsyncDisposableStack()
  const logged: (readonly [LogFields, string])[] = []
  let service: Service
  let operator: Client
  let accounts: Client["admin"]["accounts"]

  const toClient = (key: string): Client =>
    createClient({ url: service.url, key, settings: { tries: 1 } })

  /** The code of the refusal that a key meets in the end; a process believes a key for a second. */
  const refusalOf = (key: string) =>
    until(
      () =>
        toClient(key)
          .me()
          .then(
            () => "",
            (error: unknown) => (isApiError(error) ? error.code : assert.fail(String(error))),
          ),
      (code) => code !== "",
    )

  /** Milliseconds. */
  const findSuspension = async (account: string): Promise<number> =>
    (await service.storage.findAccount(account))?.suspendedAt ?? 0

  before(async () => {
    const { path: data } = resources.use(await createTemporaryFolder())
    const note = (fields: LogFields, message: string) => void logged.push([fields, message])
    const log: Log = { info: note, warn: note, error: note }
    service = await createService({
      configuration: { ...DEFAULTS, port: 0, stopGraceMs: 1_000, studio: { sandbox: true }, data },
      log,
    })
    resources.defer(() => service.stop())
    const request = { keys: service.storage, account: "operations", scopes: ["admin"] as const }
    operator = toClient((await createKey({ ...request, now: Date.now() })).key)
    ;({ accounts } = operator.admin)
  })
  after(() => resources.disposeAsync())

  it("are made with the defaults, changed in part, and listed by pages", async () => {
    const { defaults } = DEFAULTS.accounts
    const made = await accounts.set("acme/é", {})
    assert.deepEqual(made.create_rate, toRate(defaults.rates.create))
    assert.equal(made.unfinished_tasks, defaults.unfinishedTasks)
    const changed = await accounts.set("acme/é", { read_rate: null, budget_micros: 60_000 })
    assert.deepEqual(
      [changed.create_rate, changed.read_rate, changed.totals.left_micros],
      [toRate(defaults.rates.create), null, 60_000],
    )
    assert.deepEqual(await accounts.get("acme/é"), changed)
    const first = await accounts.list({ limit: 1 })
    const second = await accounts.list({ limit: 1, cursor: first.next_cursor ?? "" })
    assert.deepEqual(
      [...first.accounts, ...second.accounts].map(({ account }) => account),
      ["acme/é", "operations"],
    )
    assert.equal(second.next_cursor, null)
    await assert.rejects(accounts.get("nobody"), hasCode("account_not_found"))
    await assert.rejects(accounts.createKey("nobody"), hasCode("account_not_found"))
  })

  it("spend within their budget, and are suspended and resumed", async () => {
    await accounts.set("spender", { budget_micros: PRICE_MICROS })
    const { key } = await accounts.createKey("spender")
    const client = toClient(key)
    await client.run(MODEL, { prompt: "fog" })
    const { totals } = await accounts.get("spender")
    assert.deepEqual([totals.charged_micros, totals.left_micros], [PRICE_MICROS, 0])
    await assert.rejects(client.submit(MODEL, { prompt: "fog" }), hasCode("insufficient_balance"))
    const { suspended_at: suspendedAt } = await accounts.set("spender", { suspended: true })
    assert.ok(suspendedAt > 0)
    const since = await findSuspension("spender")
    await until(() => Date.now() > since)
    await accounts.set("spender", { suspended: true })
    assert.equal(await findSuspension("spender"), since, "a second one keeps the first moment")
    await until(
      () =>
        client.listPage().then(
          () => "",
          (error: unknown) => (isApiError(error) ? error.code : ""),
        ),
      (code) => code === "account_suspended",
    )
    assert.equal((await accounts.set("spender", { suspended: false })).suspended_at, 0)
    await until(
      () =>
        client.listPage().then(
          () => true,
          () => false,
        ),
      Boolean,
    )
  })

  it("have keys that are shown once, replaced and revoked", async () => {
    await accounts.set("holder", {})
    const made = await accounts.createKey("holder", { scopes: ["tasks:read"], expires_in: 3_600 })
    assert.deepEqual((await toClient(made.key).me()).scopes, ["tasks:read"])
    assert.equal(made.expires_at - made.created_at, 3_600)
    const rotated = await accounts.rotateKey("holder", made.id, { grace_seconds: 60 })
    assert.deepEqual([rotated.scopes, rotated.replaced.id], [["tasks:read"], made.id])
    assert.equal(rotated.expires_at - rotated.created_at, 3_600)
    await toClient(made.key).me()
    await toClient(rotated.key).me()
    assert.equal((await accounts.revokeKey("holder", made.id)).state, "revoked")
    assert.equal((await accounts.revokeKey("holder", made.id)).state, "revoked")
    assert.equal(await refusalOf(made.key), "api_key_revoked")
    const listed = await accounts.keys("holder")
    assert.deepEqual(
      listed.map(({ id, state }) => [id, state]),
      [
        [made.id, "revoked"],
        [rotated.id, "valid"],
      ],
    )
    const { key: _, replaced: __, ...shown } = rotated
    assert.deepEqual(listed[1], shown)
    await assert.rejects(accounts.rotateKey("holder", made.id), hasCode("key_revoked"))
    // Nobody's key is reached by another account's address.
    await assert.rejects(accounts.revokeKey("operations", rotated.id), hasCode("key_not_found"))
    await assert.rejects(accounts.rotateKey("operations", rotated.id), hasCode("key_not_found"))
    await toClient(rotated.key).me()
    const secrets = [made.key, rotated.key].map((key) => key.slice("sl_live_".length + 11))
    const told = JSON.stringify([listed, logged])
    assert.ok(secrets.every((secret) => !told.includes(secret)))
    assert.ok(!told.includes("secretSha256"))
  })

  it("lose every private link at once", async () => {
    await accounts.set("linker", {})
    const client = toClient((await accounts.createKey("linker")).key)
    const task = await client.run(MODEL, { prompt: "fog" })
    const url = await task.artifact("image_1").url()
    assert.equal((await fetch(url)).status, 200)
    await accounts.revokeLinks("linker")
    await until(
      async () => (await fetch(url)).status,
      (status) => status === 404,
    )
    await assert.rejects(accounts.revokeLinks("nobody"), hasCode("account_not_found"))
  })

  it("are closed to a key of their own", async () => {
    const { key } = await accounts.createKey("linker")
    await assert.rejects(toClient(key).admin.accounts.list(), hasCode("insufficient_scope"))
    await assert.rejects(
      toClient(key).admin.accounts.createKey("linker", { scopes: ["admin"] }),
      hasCode("insufficient_scope"),
    )
  })
})

function toRate(rate: { readonly requests: number; readonly windowMs: number } | null) {
  return rate && { requests: rate.requests, window_ms: rate.windowMs }
}
