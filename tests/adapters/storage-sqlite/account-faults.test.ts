/** What becomes of accounts where the database is damaged, or a thread or an answer is lost. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { describe, it } from "node:test"
import type { Worker } from "node:worker_threads"
import { MODELS, DEFAULT_PRICES, type StoredKey } from "@safelight/core"
import { createAudit } from "@safelight/audit"
import { sha256 } from "@safelight/engine"
import { advanceSample, dispatchSample, submitSample, succeedSample } from "@safelight/testkit"
import { assertUnavailableFrom, open } from "./open.ts"

const PERIOD = { account: "account", from: 0, to: Number.MAX_SAFE_INTEGER }

describe("an account with limits whose totals are lost", () => {
  for (const settings of [{ budgetMicros: 1_000_000 }, { unfinishedTasks: 10 }]) {
    it(`is refused, and the audit says so: ${Object.keys(settings).join()}`, async () => {
      await using opened = await open({})
      const { storage } = opened
      await storage.setAccount({ id: "account", now: 1, settings })
      assert.deepEqual(await storage.admit(submitSample({ id: "a" })), { kind: "admitted" })
      opened.connect().exec("delete from account_totals")
      const { kind } = await storage.admit(submitSample({ id: "b" }))
      assert.equal(kind, "refused")
      const [row] = await storage.scanTotals()
      assert.deepEqual([row?.account, row?.kept], ["account", null])
      const prices = DEFAULT_PRICES
      const { outcome, findings } = await createAudit({
        storage,
        digest: sha256,
        prices,
        models: MODELS,
      }).replay()
      assert.equal(outcome, "differs")
      assert.ok(findings.some((each) => each.kind === "totals-differ" && each.found === null))
    })
  }
})

describe("sums", () => {
  it("that no number holds are refused by name", async () => {
    await using opened = await open({})
    const { storage } = opened
    for (const id of ["a", "b"]) {
      const sample = submitSample({ id })
      await storage.append(sample.append)
      await storage.append(advanceSample(sample.head, [dispatchSample(), succeedSample()]).append)
    }
    const { tasks } = (await storage.sumCharges(PERIOD))[0] ?? {}
    assert.equal(tasks, 2)
    opened.connect().exec(`update charges set charge_micros = ${Number.MAX_SAFE_INTEGER}`)
    const named = { code: "storage-corrupt", message: /larger than can be told/ }
    await assert.rejects(storage.sumCharges(PERIOD), named)
    await assert.rejects(storage.readTotals("account"), named)
  })

  it("go on after the thread that adds them up has died", async () => {
    await using opened = await open({})
    const started = once(process, "worker")
    assert.deepEqual(await opened.storage.sumCharges(PERIOD), [])
    const [worker] = (await started) as [Worker]
    // In this order: a thread that is ending answers nothing more, one that is not may be quicker.
    const ended = worker.terminate()
    const lost = opened.storage.sumCharges(PERIOD)
    await assertUnavailableFrom(lost, true)
    await ended
    assert.deepEqual(await opened.storage.sumCharges(PERIOD), [])
  })
})

describe("a key whose commit came through and whose answer did not", () => {
  const KEY: StoredKey = {
    id: "key0000001",
    account: "account",
    secretSha256: "ab".repeat(32),
    scopes: ["tasks:read"],
    createdAt: 1,
    revokedAt: 0,
    expiresAt: 0,
  }

  it("is made and rotated when it is handed in again, and another's id is taken", async () => {
    await using opened = await open({})
    const { storage } = opened
    const successor = { ...KEY, id: "key0000002" }
    const rotation = { id: KEY.id, expiresAt: 5, successor }
    for (let turn = 0; turn < 2; turn += 1) {
      await storage.createKey(KEY)
      assert.equal(await storage.rotateKey(rotation), true)
    }
    assert.equal((await storage.findKey(KEY.id))?.expiresAt, 5)
    const other = { ...KEY, secretSha256: "cd".repeat(32) }
    await assert.rejects(storage.createKey(other), { code: "already-exists" })
    const stranger = { ...rotation, successor: other }
    await assert.rejects(storage.rotateKey(stranger), { code: "already-exists" })
  })
})
