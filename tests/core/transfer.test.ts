/**
 * Moving house over storages in memory: what arrives is what left, a file that is cut, altered or
 * forged is refused before anything is written, and an interruption costs nothing but another go.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { checkExport, createAudit, importStreams } from "@safelight/audit"
import {
  assertServable,
  DEFAULT_PRICES,
  MODELS,
  openEvent,
  SEAL_ID,
  sealEvents,
  type Transfer,
  type SafelightErrorCode,
} from "@safelight/core"
import { createMemoryStorage, createSampleSealer, type MemoryStorage } from "@safelight/testkit"
import * as fc from "fast-check"
import {
  alterRecord,
  ANN,
  ASKED,
  createTransferSource,
  exportLines,
  KEYS,
  LINK_KEYS,
  NOW,
  resign,
  toAppend,
  toFile,
  toTaskId,
  take,
} from "./support/transfer-source.ts"
import { checkAsync } from "./support/property.ts"
import { createStream, EDIT, submission, VIDEO } from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"

async function refuses(
  work: Promise<unknown>,
  message: RegExp,
  code: SafelightErrorCode = "export-refused",
): Promise<void> {
  await assert.rejects(work, { code, message })
}

/** Everything that a transfer carries: not the lease that a task is held under. */
async function readAll(storage: MemoryStorage) {
  const { streams } = await storage.scan({ after: "", limit: 100 })
  return {
    streams,
    sideRecords: await Promise.all(streams.map(({ id }) => storage.readSideRecords(id))),
    accounts: await storage.listAccounts(),
    keys: await storage.listKeys(),
    linkKeys: await storage.readLinkKeys(),
    epoch: await storage.readLinkEpoch({ account: "ann", task: toTaskId("0"), key: "image_1" }),
    totals: await storage.scanTotals(),
  }
}

async function isUntouched(storage: MemoryStorage): Promise<void> {
  const { streams, accounts, keys } = await readAll(storage)
  assert.deepEqual([streams, accounts, keys, await storage.listTransfers()], [[], [], [], []])
}

describe("an export that is imported", () => {
  it("is what it was, to the last hash, and the audit finds it whole", async () => {
    const source = await createTransferSource()
    const target = createMemoryStorage()
    const lines = await exportLines(source)
    const { manifest, isRepeated } = await take(target, lines)
    assert.deepEqual(await readAll(target), await readAll(source))
    assert.equal(isRepeated, false)
    const { accounts, keys, linkKeys, streams, inputs, unfinished } = manifest
    assert.deepEqual(
      { accounts, keys, linkKeys, streams, inputs, unfinished },
      { accounts: 2, keys: 2, linkKeys: 2, streams: 11, inputs: 1, unfinished: 5 },
    )
    const options = { storage: target, digest: sha256, prices: DEFAULT_PRICES, models: MODELS }
    const audit = createAudit(options)
    assert.deepEqual((await audit.verify()).findings, [])
    assert.deepEqual((await audit.replay()).findings, [])
  })

  it("leaves a database that may be served, and its idempotency keys in force", async () => {
    const target = createMemoryStorage()
    const lines = await exportLines(await createTransferSource())
    await take(target, lines)
    assertServable(await target.listTransfers())
    const repeated = createStream(toTaskId("z"), [submission("ann", EDIT)])
    const idempotency = { key: "once", fingerprint: "cd".repeat(32), usedAt: 901 }
    assert.deepEqual(await target.admit({ append: toAppend(repeated), idempotency }), {
      kind: "known",
      task: toTaskId("a"),
      fingerprint: "cd".repeat(32),
    })
  })

  it("goes on: what was begun is taken up first, then starts by their accounts' weights", async () => {
    const source = await createTransferSource()
    for (const name of ["b", "c", "d"]) {
      await source.append(toAppend(createStream(toTaskId(name), [submission("ann", EDIT)])))
      await source.append(
        toAppend(createStream(toTaskId(`${name}-ben`), [submission("ben", EDIT)])),
      )
    }
    const target = createMemoryStorage()
    await take(target, await exportLines(source))
    const models = MODELS.map(({ id }) => id)
    const taken = await target.take({ lease: "node", models, now: NOW, limit: 100 })
    const steps = taken.filter(({ startTag }) => startTag === null).map(({ task }) => task.id)
    assert.deepEqual(steps, [toTaskId("5"), toTaskId("6"), toTaskId("7")])
    const starts = taken.filter(({ startTag }) => startTag !== null)
    assert.deepEqual(
      starts.map(({ task, startTag }) => [task.id, startTag]),
      [
        [toTaskId("8"), 0],
        [toTaskId("a"), 0],
        [toTaskId("b"), 500],
        [toTaskId("b-ben"), 1_000],
        [toTaskId("c"), 1_000],
        [toTaskId("d"), 1_500],
        [toTaskId("c-ben"), 2_000],
        [toTaskId("d-ben"), 3_000],
      ],
    )
  })

  it("is looked at by retention at once where it brings what a person wrote, however long ago it ended", async () => {
    const source = createMemoryStorage()
    const ended = { kind: "fail", attempt: 0, code: "task_cancelled" } as const
    const [bare, asked] = [toTaskId("b"), toTaskId("c")]
    for (const id of [bare, asked]) {
      const stream = createStream(id, [submission("ann", EDIT), ended])
      const inputs = [{ task: id, name: "provider:1", salt: "5a", body: '"no"' }]
      await source.append({ ...toAppend(stream), ...(id === asked && { inputs }) })
    }
    const target = createMemoryStorage()
    await take(target, await exportLines(source))
    const due = await target.findRetained({ now: NOW, limit: 10 })
    assert.deepEqual(
      due.map(({ task }) => task.id),
      [asked],
    )
  })

  it("has one header first and one trailer last, which can be checked without a database", async () => {
    const lines = await exportLines(await createTransferSource(), false)
    const [header, trailer] = [lines.at(0), lines.at(-1)].map((line) => JSON.parse(line ?? ""))
    const format = { kind: "header", format: "safelight-export", version: 1 }
    assert.deepEqual(header, { ...format, createdAt: NOW, isSealed: false })
    const { sha256: digest, ...counts } = trailer as Record<string, unknown>
    assert.deepEqual(counts, {
      kind: "trailer",
      accounts: 2,
      keys: 2,
      linkKeys: 2,
      streams: 11,
      events: 37,
      inputs: 1,
    })
    assert.equal(digest, sha256([lines.slice(0, -1).join("")]))
  })
})

describe("a file that is not as it was written", () => {
  it("is refused wherever it is cut, and nothing is written", async (t) => {
    const lines = await exportLines(await createTransferSource())
    const whole = lines.join("")
    const target = createMemoryStorage()
    for (let count = 0; count < lines.length; count += 1) {
      await refuses(take(target, lines.slice(0, count)), /the file is (?:cut|empty)/)
    }
    await checkAsync(
      t,
      fc.asyncProperty(fc.integer({ min: 1, max: whole.length - 1 }), async (length) => {
        await refuses(take(target, [whole.slice(0, length)]), /the file is cut/)
      }),
    )
    await isUntouched(target)
  })

  it("is refused whichever byte of it was changed", async (t) => {
    const lines = await exportLines(await createTransferSource())
    const whole = Buffer.from(lines.join(""))
    const target = createMemoryStorage()
    const change = fc.record({ at: fc.nat(whole.length - 1), by: fc.integer({ min: 1, max: 255 }) })
    await checkAsync(
      t,
      fc.asyncProperty(change, async ({ at, by }) => {
        const bytes = Buffer.from(whole)
        bytes[at] = ((bytes[at] ?? 0) + by) % 256
        const open = async function* () {
          yield bytes
        }
        await refuses(importStreams({ storage: target, open, digest: sha256, now: NOW }), /./)
      }),
    )
    await isUntouched(target)
  })

  it("is refused by its digest where everything else agrees", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    const changes = [
      ['"weight":2', '"weight":3'],
      ['"revokedAt":50', '"revokedAt":0'],
      ['"scopes":["tasks:read"]', '"scopes":["tasks:write"]'],
      ['"isSealed":true', '"isSealed": true'],
      ['"usedAt":900', '"usedAt":901'],
    ] as const
    for (const [text, other] of changes) {
      const changed = lines.map((line) => line.replace(text, other))
      assert.notDeepEqual(changed, lines)
      await refuses(take(target, changed), /not what its digest says: it was altered/)
    }
    await isUntouched(target)
  })

  it("is refused where records stand in another order, or twice, though the digest agrees", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    const swap = (one: number, other: number): string[] =>
      resign(lines.with(one, lines.at(other) ?? "").with(other, lines.at(one) ?? ""))
    await refuses(take(target, swap(-2, -3)), /ids are not in order/)
    await refuses(take(target, swap(1, 2)), /ids are not in order/)
    await refuses(take(target, swap(1, -2)), /behind a stream/)
    await refuses(take(target, swap(0, 1)), /one header, on its first line/)
    const twice = resign([...lines.slice(0, -1), ...lines.slice(-2)])
    await refuses(take(target, twice), /stand there twice/)
    await refuses(
      take(target, resign([...lines, lines.at(-1) ?? ""])),
      /counts|ends with its trailer/,
    )
    await isUntouched(target)
  })

  it("is refused where a record is missing, though the digest agrees", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    await refuses(take(target, resign(lines.toSpliced(-3, 1))), /the counts are not those/)
    await isUntouched(target)
  })

  it("is refused where a log in it was forged, though the digest agrees", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    const last = lines.length - 2
    const alterEvent = (change: Record<string, unknown>) => (record: Record<string, unknown>) => {
      const events = record["events"] as Record<string, unknown>[]
      return { ...record, events: events.with(0, { ...events[0], ...change }) }
    }
    await refuses(
      take(target, alterRecord(lines, last, alterEvent({ at: 7 }))),
      /event 1: the hash/,
    )
    await refuses(take(target, alterRecord(lines, last, alterEvent({ version: 2 }))), /version 2/)
    const renamed = alterRecord(lines, last, (record) => ({ ...record, task: toTaskId("zz") }))
    await refuses(take(target, renamed), /event 1: the hash/)
    const emptied = alterRecord(lines, last, (record) => ({ ...record, events: [] }))
    await refuses(take(target, emptied), /counts|no events/)
    const { task: _task, ...input } = ASKED.input
    const other = alterRecord(lines, last, (record) => ({
      ...record,
      inputs: [{ ...input, body: '{"prompt":"sun"}' }],
    }))
    await refuses(take(target, other), /not the one that its log is committed to/)
    await isUntouched(target)
  })

  it("is refused where an event is not legal behind the ones before", async () => {
    const stream = createStream(toTaskId("x"), [submission("ann", EDIT)])
    const source = createMemoryStorage()
    await source.append(toAppend(stream))
    const lines = await exportLines(source)
    const [first] = stream.events
    assert.ok(first)
    const head = { task: first.task, version: 1, hash: first.hash }
    const [second] = sealEvents(createSampleSealer("again"), head, [openEvent(first)])
    assert.ok(second)
    const { sealed: _sealed, task: _task, ...added } = second
    const doubled = alterRecord(lines, 1, (record) => ({
      ...record,
      events: [...(record["events"] as unknown[]), added],
    }))
    await refuses(take(createMemoryStorage(), doubled), /submitted is not legal in queued/)
  })

  it("of a newer release, or of something else, is said to be so", async () => {
    const lines = await exportLines(await createTransferSource())
    const storage = createMemoryStorage()
    const newer = alterRecord(lines, 0, (header) => ({ ...header, version: 2 }))
    await refuses(
      take(storage, newer),
      /"version" is not 1, which this release reads: use a newer one$/,
    )
    await refuses(take(storage, ['{"kind":"other"}\n']), /line 1 of the export: "kind" is not/)
    await refuses(take(storage, ["prompt: fog\n"]), /^line 1 of the export: it is not JSON$/)
  })
})

describe("what may be imported", () => {
  it("is no task that is not finished, unless where it comes from was sealed", async () => {
    const source = await createTransferSource()
    const target = createMemoryStorage()
    await refuses(take(target, await exportLines(source, false)), /^5 tasks are not finished/)
    await isUntouched(target)
  })

  it("is a finished log of any source", async () => {
    const source = createMemoryStorage()
    const failed = { kind: "fail", attempt: 0, code: "task_cancelled" } as const
    await source.append(toAppend(createStream(toTaskId("x"), [submission("ann", EDIT), failed])))
    const target = createMemoryStorage()
    const { manifest } = await take(target, await exportLines(source, false))
    assert.deepEqual([manifest.isSealed, manifest.unfinished], [false, 0])
    assert.equal((await target.readTask(toTaskId("x")))?.task.state, "failed")
  })

  it("is no log that is damaged where it comes from", async () => {
    const source = await createTransferSource()
    const events = source.events.get(toTaskId("0")) as { data: string }[] | undefined
    assert.ok(events?.[0])
    events[0] = { ...events[0], data: "{}" }
    await refuses(
      exportLines(source),
      new RegExp(`task ${toTaskId("0")}, event 1`),
      "storage-corrupt",
    )
  })
})

describe("where something is there already", () => {
  it("the same log is left as it is, also where it went on", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    const queued = createStream(toTaskId("8"), [submission("ben", VIDEO)])
    const gone = { kind: "fail", attempt: 0, code: "task_cancelled" } as const
    const commands = [submission("ben", VIDEO), gone]
    assert.equal(createStream(toTaskId("8"), commands).events[0]?.hash, queued.events[0]?.hash)
    await target.append(toAppend(createStream(toTaskId("8"), commands)))
    await take(target, lines)
    assert.equal((await target.readTask(toTaskId("8")))?.task.state, "failed")
  })

  it("another log of the same id is refused before anything is written", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    await target.append(toAppend(createStream(toTaskId("8"), [submission("ann", EDIT)])))
    await refuses(take(target, lines), new RegExp(`task ${toTaskId("8")} has another log`))
    assert.deepEqual([await target.listAccounts(), await target.listTransfers()], [[], []])
    const { streams } = await target.scan({ after: "", limit: 100 })
    assert.deepEqual(
      streams.map(({ id }) => id),
      [toTaskId("8")],
    )
  })

  it("an account without settings takes them over, one with others is refused", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    await target.setAccount({ id: "ann", now: 7, settings: {} })
    await take(target, lines)
    assert.deepEqual(await target.findAccount("ann"), { ...ANN, id: "ann", createdAt: 7 })
    const other = createMemoryStorage()
    await other.setAccount({ id: "ann", now: 7, settings: { weight: 9 } })
    await refuses(take(other, lines), /account "ann" has other settings/)
  })

  it("a key that was revoked stays so, and one with another secret is refused", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    const [, key] = KEYS
    assert.ok(key)
    await target.createKey(key)
    await target.revokeKey({ id: key.id, revokedAt: 77 })
    await take(target, lines)
    assert.equal((await target.findKey(key.id))?.revokedAt, 77)
    const other = createMemoryStorage()
    await other.createKey({ ...key, secretSha256: "00".repeat(32) })
    await refuses(take(other, lines), /key key-new is another one/)
  })
})

describe("an import that is interrupted", () => {
  it("leaves what nobody may serve until the same file is through", async () => {
    const source = await createTransferSource()
    const lines = await exportLines(source)
    const target = createMemoryStorage()
    target.failAppends(3)
    await refuses(take(target, lines), /does not answer/, "storage-unavailable")
    const transfers = await target.listTransfers()
    assert.deepEqual(
      transfers.map(({ state }) => state),
      ["importing"],
    )
    assert.throws(() => assertServable(transfers), { code: "in-transfer", message: /not complete/ })
    const another = await exportLines(createMemoryStorage())
    await refuses(take(target, another), /import of another file/, "in-transfer")
    target.failAppends(0)
    await take(target, lines)
    assert.deepEqual(await readAll(target), await readAll(source))
    assertServable(await target.listTransfers())
  })

  it("loses nothing where a commit came through whose answer did not", async () => {
    const source = await createTransferSource()
    const lines = await exportLines(source)
    const target = createMemoryStorage()
    target.failAppends(4, true)
    await refuses(take(target, lines), /does not answer/, "storage-unavailable")
    target.failAppends(0)
    await take(target, lines)
    assert.deepEqual(await readAll(target), await readAll(source))
  })

  it("is not begun where the file is imported already: links stay as they were rotated", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    await take(target, lines)
    const newest = { id: "d".repeat(8), secret: "ab".repeat(32), createdAt: 300 }
    await target.addLinkKey(newest)
    assert.equal((await take(target, lines)).isRepeated, true)
    assert.deepEqual(await target.readLinkKeys(), [newest, LINK_KEYS[1]])
  })
})

describe("sealed data", () => {
  const seal: Transfer = { id: SEAL_ID, state: "sealed", at: NOW }

  it("takes nothing in and is served by nobody", async () => {
    const target = createMemoryStorage()
    await target.setTransfer(seal)
    const lines = await exportLines(await createTransferSource())
    await refuses(take(target, lines), /sealed and moves elsewhere/, "in-transfer")
    assert.throws(() => assertServable([seal]), { code: "in-transfer", message: /--unseal/ })
  })
})

describe("checking a file alone", () => {
  it("proves it and counts what is not finished", async () => {
    const open = toFile(await exportLines(await createTransferSource()))
    const manifest = await checkExport({ open, digest: sha256, now: NOW })
    assert.deepEqual([manifest.streams, manifest.unfinished, manifest.isSealed], [11, 5, true])
  })
})
