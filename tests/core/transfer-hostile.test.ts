/**
 * Files that somebody made to get in: an export whose digest, chains and counts all agree, and that
 * brings keys, moments of tomorrow, names that break out of where they are written, locators of other
 * tasks, or sums that nobody can tell. None of them is taken in, and nothing of them is written.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { checkExport } from "@safelight/audit"
import { MAX_CHARGE_MICROS, type TaskCommand } from "@safelight/core"
import { createMemoryStorage } from "@safelight/testkit"
import {
  alterRecord,
  createTransferSource,
  exportLines,
  findLine,
  KEYS,
  LINK_KEYS,
  NOW,
  toAppend,
  toFile,
  toTaskId,
  take,
} from "./support/transfer-source.ts"
import {
  createStream,
  dispatch,
  EDIT,
  listLocators,
  submission,
  success,
} from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"

type Member = Record<string, unknown>

/** Refused by an import into an empty database, which stays so, and by a check of the file alone. */
async function assertRefused(lines: readonly string[], message: RegExp): Promise<void> {
  const target = createMemoryStorage()
  await assert.rejects(take(target, lines, true), { code: "export-refused", message })
  assert.deepEqual(
    [await target.listAccounts(), await target.listKeys(), await target.listTransfers()],
    [[], [], []],
  )
  assert.deepEqual((await target.scan({ after: "", limit: 1 })).streams, [])
  const checking = checkExport({ open: toFile(lines), digest: sha256, now: NOW })
  await assert.rejects(checking, { code: "export-refused", message })
}

/** An export of finished tasks alone, altered before it is sealed. */
async function exportTasks(
  ids: readonly string[],
  commands: readonly TaskCommand[],
): Promise<string[]> {
  const source = createMemoryStorage()
  for (const id of ids) await source.append(toAppend(createStream(id, commands)))
  return exportLines(source)
}

const IMAGES = { images: 1, inputVideosMs: [], outputVideoMs: 0 }

describe("labels that a file brings", () => {
  const [one, other] = [
    { key: "k", value: "v" },
    { key: "k", value: "w" },
  ]
  for (const labels of [[{ key: "a b", value: "" }], [{ key: "k", value: "a\nb" }], [one, other]]) {
    it(`are refused unless a task may have them: ${JSON.stringify(labels)}`, async () => {
      const lines = await exportTasks([toTaskId("a")], [submission("ann", EDIT)])
      const altered = alterRecord(lines, findLine(lines, "stream"), (record) => ({
        ...record,
        labels,
      }))
      await assertRefused(altered, /labels as a task may have them/)
    })
  }
})

describe("keys that a file brings", () => {
  it("are refused where there is data already, until somebody allows them", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    await target.setAccount({ id: "eve", now: 7, settings: {} })
    await assert.rejects(take(target, lines, false), {
      code: "export-refused",
      message: /^the file brings 2 API keys and 2 link keys, .*--check, then .*--with-keys$/,
    })
    assert.deepEqual([await target.listKeys(), await target.listTransfers()], [[], []])
    await take(target, lines, true)
    assert.equal((await target.listKeys()).length, 2)
  })

  it("come in where there is nothing, and an interrupted import of them goes on", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    target.failAppends(3)
    await assert.rejects(take(target, lines, false), { code: "storage-unavailable" })
    target.failAppends(0)
    await take(target, lines, false)
    assert.equal((await target.listKeys()).length, 2)
    assert.equal((await take(target, lines, false)).isRepeated, true)
  })

  it("that are all known need nobody's word", async () => {
    const source = await createTransferSource()
    const target = createMemoryStorage()
    await take(target, await exportLines(source), false)
    const gone = { kind: "fail", attempt: 0, code: "task_cancelled" } as const
    await source.append(toAppend(createStream(toTaskId("x"), [submission("ann", EDIT), gone])))
    await take(target, await exportLines(source), false)
    assert.ok(await target.readTask(toTaskId("x")))
  })

  it("are named, each with its account, by a check and by an import", async () => {
    const lines = await exportLines(await createTransferSource())
    const { brought } = await checkExport({ open: toFile(lines), digest: sha256, now: NOW })
    assert.deepEqual(brought, {
      apiKeys: KEYS.toSorted((one, other) => one.createdAt - other.createdAt).map(
        ({ secretSha256: _secret, createdAt: _at, ...named }) => named,
      ),
      linkKeys: LINK_KEYS.map(({ id }) => ({ id })),
    })
    const { manifest } = await take(createMemoryStorage(), lines, false)
    assert.deepEqual(manifest.brought, brought)
  })

  it("are refused where a link key of that id has another secret", async () => {
    const lines = await exportLines(await createTransferSource())
    const target = createMemoryStorage()
    const [known] = LINK_KEYS
    assert.ok(known)
    await target.addLinkKey({ ...known, secret: "00".repeat(32) })
    const message = /link key bbbbbbbb is another one/
    await assert.rejects(take(target, lines, true), { code: "export-refused", message })
  })
})

describe("a moment in the future", () => {
  const later = NOW + 60_001
  const alterations: readonly (readonly [kind: string, alter: (record: Member) => unknown])[] = [
    ["header", (record) => ({ ...record, createdAt: later })],
    ["link-key", (record) => ({ ...record, linkKey: { ...LINK_KEYS[0], createdAt: later } })],
    ["key", (record) => ({ ...record, key: { ...(record["key"] as Member), createdAt: later } })],
    ["key", (record) => ({ ...record, key: { ...(record["key"] as Member), revokedAt: later } })],
    [
      "account",
      (record) => ({
        ...record,
        account: { ...(record["account"] as Member), suspendedAt: later },
      }),
    ],
    [
      "stream",
      (record) => ({
        ...record,
        idempotency: [{ key: "once", fingerprint: "cd".repeat(32), usedAt: later }],
      }),
    ],
  ]
  for (const [kind, alter] of alterations) {
    it(`of a ${kind} is refused: ${String(alter).match(/\w+(?=: later)/)?.[0]}`, async () => {
      const lines = await exportLines(await createTransferSource())
      const altered = alterRecord(lines, findLine(lines, kind), alter)
      await assertRefused(altered, /lies more than a minute in the future of this machine's clock$/)
    })
  }

  it("of an event is refused, and one that another clock is a minute ahead of is not", async () => {
    const lines = await exportTasks([toTaskId("a")], [submission("ann", EDIT)])
    const check = (now: number) => checkExport({ open: toFile(lines), digest: sha256, now })
    const header = alterRecord(lines, 0, (record) => ({ ...record, createdAt: 0 }))
    const early = { open: toFile(header), digest: sha256, now: 1_000 - 60_001 }
    await assert.rejects(checkExport(early), { message: /^event 1 of task \S+ lies more than/ })
    await check(NOW - 60_000)
  })
})

describe("a name that would break out", () => {
  it("of a task is refused: it is written unescaped into answers and pages", async () => {
    for (const id of ['a","status":"x', "a\nb", "task-a", toTaskId("k").toUpperCase()]) {
      const lines = await exportTasks([id], [submission("ann", EDIT)])
      await assertRefused(lines, /^line 2 of the export: "task" is not a UUID in lower case$/)
    }
  })

  it("of an account is refused: no database, list or terminal takes it as it is", async () => {
    const names = ["a\0b", "\ud800", "a\nb", " a", "", "x".repeat(201), "\u001b[2J"]
    const lines = await exportLines(await createTransferSource())
    const at = findLine(lines, "account")
    for (const id of names) {
      const altered = alterRecord(lines, at, (record) => ({
        ...record,
        account: { ...(record["account"] as Member), id },
      }))
      await assertRefused(altered, /"account.id" is not 1 to 200 printable characters$/)
    }
  })

  it("of an account inside a log is refused too", async () => {
    const lines = await exportTasks([toTaskId("a")], [submission("a\0b", EDIT)])
    await assertRefused(lines, /^the account of task \S+ is not 1 to 200 printable characters$/)
  })

  it("of a key, an input or an idempotency key is refused where a database could not store it", async () => {
    const lines = await exportLines(await createTransferSource())
    const key = alterRecord(lines, findLine(lines, "key"), (record) => ({
      ...record,
      key: { ...(record["key"] as Member), id: "a\0" },
    }))
    await assertRefused(key, /"key.id" is not 1 to 200 printable characters$/)
    const use = { key: "a\0", fingerprint: "cd".repeat(32), usedAt: 1 }
    const stream = alterRecord(lines, findLine(lines, "stream"), (record) => ({
      ...record,
      idempotency: [use],
    }))
    await assertRefused(
      stream,
      /"idempotency.0.key" is not a text without U\+0000 and lone surrogates$/,
    )
  })
})

describe("a member", () => {
  /** Where every member of a record stands, those of its first items included. */
  function listPaths(value: unknown, path: readonly string[] = []): string[][] {
    if (typeof value !== "object" || value === null) return []
    return Object.entries(value)
      .filter(([name]) => !Array.isArray(value) || name === "0")
      .flatMap(([name, member]) => [[...path, name], ...listPaths(member, [...path, name])])
  }

  function change(record: unknown, path: readonly string[], alter: (holder: Member) => void): void {
    const holder = path.slice(0, -1).reduce((value, name) => (value as Member)[name], record)
    alter(holder as Member)
  }

  it("that is missing or of another type is refused by its line and its place in the record", async () => {
    const lines = await exportLines(await createTransferSource())
    const full = [toTaskId("0"), toTaskId("a")]
    const seen = new Set<string>()
    for (const [index, line] of lines.entries()) {
      const { kind, task } = JSON.parse(line) as { readonly kind: string; readonly task?: string }
      if (task !== undefined && !full.includes(task)) continue
      for (const path of listPaths(JSON.parse(line))) {
        const name = path.at(-1) ?? ""
        seen.add(`${kind} ${path.join(".")}`)
        for (const alter of [
          (holder: Member) => (holder[name] = -1.5),
          (holder: Member) =>
            Array.isArray(holder) ? holder.splice(0, 1, null) : delete holder[name],
        ]) {
          const record = JSON.parse(line) as unknown
          change(record, path, alter)
          const altered = lines.with(index, `${JSON.stringify(record)}\n`)
          const member = path.join("\\.")
          const message = new RegExp(
            `^line ${index + 1} of the export: "${member}[^"]*" is not \\S`,
          )
          const checking = checkExport({ open: toFile(altered), digest: sha256, now: NOW })
          await assert.rejects(checking, { code: "export-refused", message })
        }
      }
    }
    for (const member of ["header version", "account account.rates.create", "key key.scopes.0"]) {
      assert.ok(seen.has(member), member)
    }
    assert.ok(seen.has("stream events.0.hash") && seen.has("trailer sha256"))
  })

  it("that nobody knows is refused, and its name is not repeated", async () => {
    const lines = await exportLines(await createTransferSource())
    const at = findLine(lines, "account")
    for (const name of ["isOwner", "__proto__"]) {
      const altered = alterRecord(lines, at, (record) => {
        const account = { ...(record["account"] as Member) }
        Object.defineProperty(account, name, { value: true, enumerable: true })
        return { ...record, account }
      })
      assert.notDeepEqual(altered, lines)
      await assertRefused(altered, /^line 2 of the export: "account" is not an object of known/)
    }
    const top = alterRecord(lines, at, (record) => ({ ...record, isOwner: true }))
    await assertRefused(top, /^line 2 of the export: the record is not an object of known/)
  })
})

describe("an artifact's locator", () => {
  it("in another task's folder is refused: its bytes would be served, and removed, as this one's", async () => {
    const [own, other] = [toTaskId("a"), toTaskId("b")]
    const victim = createStream(other, [submission("ann", EDIT), dispatch(), success(EDIT, IMAGES)])
    const locator = listLocators(victim)[0] ?? ""
    const source = createMemoryStorage()
    const command = success(EDIT, IMAGES)
    assert.ok(command.kind === "succeed")
    for (const stray of [locator, "../../etc/passwd", "/etc/passwd", "00/x"]) {
      const artifacts = command.artifacts.map((entry) => ({ ...entry, locator: stray }))
      const commands = [submission("ann", EDIT), dispatch(), { ...command, artifacts }]
      const target = createMemoryStorage()
      await target.append(toAppend(createStream(own, commands, (each) => each)))
      await assertRefused(
        await exportLines(target),
        /^the locator of image_1 of task \S+ is not in that task's folder$/,
      )
    }
    await source.append(toAppend(victim))
    await take(createMemoryStorage(), await exportLines(source), false)
  })
})

describe("sums that nobody could tell", () => {
  const billed = { chargeMicros: MAX_CHARGE_MICROS, usage: IMAGES }
  const failed = { kind: "fail", attempt: 1, code: "no_output", billed } as const
  const dear: readonly TaskCommand[] = [submission("ann", EDIT), dispatch(), failed]
  const says = /^with task \S+ what account "ann" used adds up to more than can be counted$/
  /** As many of the dearest tasks as can be added up. */
  const most = Math.floor(Number.MAX_SAFE_INTEGER / MAX_CHARGE_MICROS)
  const toIds = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => toTaskId(String(index).padStart(6, "d")))

  it("of one file are refused", async () => {
    await assertRefused(await exportTasks(toIds(most + 1), dear), says)
    await take(createMemoryStorage(), await exportTasks(toIds(most), dear), false)
  })

  it("of a file and what the account used there are refused", async () => {
    const target = createMemoryStorage()
    for (const id of toIds(most)) await target.append(toAppend(createStream(id, dear)))
    const lines = await exportTasks([toTaskId("b")], dear)
    await assert.rejects(take(target, lines, false), { code: "export-refused", message: says })
    assert.equal(await target.readTask(toTaskId("b")), undefined)
  })
})
