/** What the contract of `TransferStorage` says. */
import assert from "node:assert/strict"
import { SEAL_ID, type IdempotencyUse, type Transfer } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { submitSample } from "./sample-task.ts"
import { toInput, type StorageFixture } from "./storage-fixture.ts"

const NOTHING = { inputs: [], labels: {}, idempotency: [], linkEpochs: [] }

export const TRANSFER_BEHAVIOURS: Behaviours<StorageFixture> = {
  "transfers are recorded, changed and forgotten": async (fixture) => {
    const { storage } = fixture
    assert.deepEqual(await storage.listTransfers(), [])
    const [importing, seal] = [
      toTransfer("ab".repeat(32), "importing"),
      toTransfer(SEAL_ID, "sealed"),
    ]
    await storage.setTransfer(seal)
    await storage.setTransfer(importing)
    await storage.setTransfer(importing)
    assert.deepEqual(await storage.listTransfers(), [importing, seal])
    const imported = { ...importing, state: "imported", at: 700 } as const
    await storage.setTransfer(imported)
    await storage.dropTransfer(seal.id)
    await storage.dropTransfer("unknown")
    assert.deepEqual(await storage.listTransfers(), [imported])
    assert.deepEqual(await (await fixture.reopen()).listTransfers(), [imported])
  },

  "what belongs to a task is read at once, without another's": async ({ storage }) => {
    assert.deepEqual(await storage.readSideRecords("t"), NOTHING)
    const inputs = [toInput("t", "provider:1"), toInput("t", "request")]
    const use = toUse("key-1")
    const labels = { project: "spring", team: "a" }
    const { append } = submitSample({ id: "t", inputs, labels })
    await storage.admit({ append, idempotency: use })
    await storage.append(
      submitSample({ id: "u", inputs: [toInput("u", "request")], labels: { of: "u" } }).append,
    )
    await storage.raiseLinkEpoch({ kind: "artifact", task: "t", key: "image_2" })
    await storage.raiseLinkEpoch({ kind: "artifact", task: "t", key: "image_1" })
    await storage.raiseLinkEpoch({ kind: "artifact", task: "t", key: "image_1" })
    await storage.raiseLinkEpoch({ kind: "artifact", task: "u", key: "image_1" })
    const linkEpochs = [
      { key: "image_1", epoch: 2 },
      { key: "image_2", epoch: 1 },
    ]
    const found = await storage.readSideRecords("t")
    assert.deepEqual(found, { inputs, labels, idempotency: [use], linkEpochs })
    await storage.eraseInputs("t")
    assert.deepEqual(await storage.readSideRecords("t"), { ...NOTHING, linkEpochs })
  },

  "a restored key stands for its task, and one in use keeps the task it stands for": async ({
    storage,
  }) => {
    const [account, use] = ["account", toUse("key-1")]
    assert.equal(await storage.restoreIdempotency({ account, task: "t", use }), true)
    assert.equal(await storage.restoreIdempotency({ account, task: "t", use }), true)
    assert.equal(await storage.restoreIdempotency({ account, task: "u", use }), false)
    assert.equal(await storage.restoreIdempotency({ account: "other", task: "u", use }), true)
    const admission = await storage.admit({
      append: submitSample({ id: "v" }).append,
      idempotency: toUse("key-1"),
    })
    assert.deepEqual(admission, { kind: "known", task: "t", fingerprint: use.fingerprint })
  },

  "a restored epoch rises and never falls": async ({ storage }) => {
    const artifact = { kind: "artifact", task: "t", key: "image_1" } as const
    const account = { kind: "account", account: "a", now: 500 } as const
    const read = () => storage.readLinkEpoch({ account: "a", task: "t", key: "image_1" })
    await storage.restoreLinkEpoch({ scope: account, epoch: 4 })
    assert.deepEqual([await storage.findAccount("a"), await read()], [undefined, 0])
    await storage.setAccount({ id: "a", now: 500, settings: {} })
    await storage.restoreLinkEpoch({ scope: account, epoch: 4 })
    await storage.restoreLinkEpoch({ scope: account, epoch: 3 })
    await storage.restoreLinkEpoch({ scope: artifact, epoch: 2 })
    await storage.restoreLinkEpoch({ scope: artifact, epoch: 1 })
    assert.equal(await read(), 6)
    await storage.raiseLinkEpoch(artifact)
    assert.equal(await read(), 7)
  },
}

function toTransfer(id: string, state: Transfer["state"]): Transfer {
  return { id, state, at: 500 }
}

function toUse(key: string): IdempotencyUse {
  return { key, fingerprint: "cd".repeat(32), usedAt: 900 }
}
