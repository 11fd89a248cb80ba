/**
 * An import beside a service that runs on the same database, over storages in memory: clients come in
 * by imported keys only once all that was theirs is there, so none can buy again what it asked for
 * before.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { importStreams } from "@safelight/audit"
import type { Storage } from "@safelight/core"
import { createMemoryStorage } from "@safelight/testkit"
import {
  alterRecord,
  createTransferSource,
  exportLines,
  findLine,
  NOW,
  toAppend,
  toFile,
  toTaskId,
  take,
} from "./support/transfer-source.ts"
import { createStream, EDIT, submission } from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"

/** What a client could ask for or repeat. */
async function readTasks(storage: Storage): Promise<unknown> {
  const { streams } = await storage.scan({ after: "", limit: 100 })
  return {
    streams,
    sideRecords: await Promise.all(streams.map(({ id }) => storage.readSideRecords(id))),
    accounts: await storage.listAccounts(),
    epoch: await storage.readLinkEpoch({ account: "ann", task: toTaskId("0"), key: "image_1" }),
  }
}

describe("keys of an export", () => {
  it("are written last, after everything that clients may ask for or repeat", async () => {
    const source = await createTransferSource()
    const target = createMemoryStorage()
    const seen: unknown[] = []
    const watched: Storage = {
      ...target,
      async createKey(key) {
        seen.push(await readTasks(target))
        await target.createKey(key)
      },
      async addLinkKey(key) {
        seen.push(await readTasks(target))
        await target.addLinkKey(key)
      },
    }
    const file = toFile(await exportLines(source))
    let readings = 0
    const open = () => {
      readings += 1
      return file()
    }
    await importStreams({ storage: watched, open, digest: sha256, now: NOW })
    const whole = await readTasks(source)
    assert.deepEqual(seen, [whole, whole, whole, whole])
    assert.equal(readings, 2, "they are kept from the reading that proved the file again")
  })

  it("are not there while an import is not through", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    target.failAppends(1)
    await assert.rejects(take(target, lines), { code: "storage-unavailable" })
    assert.deepEqual([await target.listKeys(), await target.readLinkKeys()], [[], []])
    await take(target, lines)
    assert.equal((await target.listKeys()).length, 2)
  })

  it("stay out, and the import incomplete, where the file was changed meanwhile", async () => {
    const lines = await exportLines(await createTransferSource())
    const accounts = findLine(lines, "account")
    const other = alterRecord(lines, accounts, (record) => ({ ...record, linkEpoch: 7 }))
    const target = createMemoryStorage()
    let readings = 0
    const open = () => toFile((readings += 1) === 1 ? lines : other)()
    await assert.rejects(importStreams({ storage: target, open, digest: sha256, now: NOW }), {
      code: "export-refused",
      message: /was changed while it was imported/,
    })
    const [transfer] = await target.listTransfers()
    assert.deepEqual(
      [await target.listKeys(), await target.readLinkKeys(), transfer?.state],
      [[], [], "importing"],
    )
  })
})

describe("an idempotency key that stands for another task by now", () => {
  it("is left to that one, and reported with its task and account", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    const idempotency = { key: "once", fingerprint: "ee".repeat(32), usedAt: 950 }
    const append = toAppend(createStream(toTaskId("z"), [submission("ann", EDIT)]))
    await target.admit({ append, idempotency })
    const report = await take(target, lines)
    const finding = { account: "ann", task: toTaskId("a") }
    assert.deepEqual(report.idempotency, { findings: [finding], findingCount: 1 })
    const [of, left] = await Promise.all(
      [toTaskId("a"), toTaskId("z")].map((id) => target.readSideRecords(id)),
    )
    assert.deepEqual([of?.idempotency, left?.idempotency], [[], [idempotency]])
  })

  it("is none where the import made it", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    const none = { findings: [], findingCount: 0 }
    assert.deepEqual((await take(target, lines)).idempotency, none)
    assert.deepEqual((await take(target, lines)).idempotency, none)
  })
})
