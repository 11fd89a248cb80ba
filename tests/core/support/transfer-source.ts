/**
 * A storage that holds everything that a transfer carries, an export of it as lines, and the lines made
 * an export again: a test alters them in between, with or without a digest that agrees.
 */
import { createHash } from "node:crypto"
import { exportStreams, importStreams, type ImportReport } from "@safelight/audit"
import {
  fold,
  isTerminal,
  NO_LIMITS,
  openEvent,
  project,
  type Append,
  type Input,
  type Storage,
  type StoredKey,
  type TaskCommand,
} from "@safelight/core"
import { createMemoryStorage, type MemoryStorage } from "@safelight/testkit"
import { createSampleLog, createStream, submission, EDIT, type SampleStream } from "./sample-log.ts"
import { sha256 } from "./sha256.ts"

export const NOW = 2_000_000_000

/** A task's id in the form that an import asks for; ids come in the order of their names. */
export function toTaskId(name: string): string {
  return `00000000-0000-7000-8000-${Buffer.from(name).toString("hex").padEnd(12, "0")}`
}

/** It has a budget, so that its totals are kept and must be right. */
export const ANN = { ...NO_LIMITS, budgetMicros: 9_000_000, weight: 2, runningTasks: 3 }

export const LINK_KEYS = ["b", "c"].map((name, index) => ({
  id: name.repeat(8),
  secret: "ab".repeat(32),
  createdAt: 100 + index,
}))

export const KEYS: readonly StoredKey[] = [
  toKey({ id: "key-old", revokedAt: 50 }),
  toKey({ id: "key-new", createdAt: 20, expiresAt: 10_000 }),
]

/** A task that asked for something: its log is committed to it. */
export const ASKED = createAsked(toTaskId("a"), '{"prompt":"fog \\u0000 \\ud800"}')

/** Of that task. */
export const LABELS = { project: "spring", constructor: "a, b" }

/** Ten tasks of each state, one with all that may belong to it, accounts, keys and link keys. */
export async function createTransferSource(): Promise<MemoryStorage> {
  const storage = createMemoryStorage()
  await storage.setAccount({ id: "ann", now: 10, settings: ANN })
  await storage.setAccount({ id: "ben", now: 11, settings: {} })
  for (const key of KEYS) await storage.createKey(key)
  for (const linkKey of LINK_KEYS) await storage.addLinkKey(linkKey)
  for (const stream of createSampleLog(toTaskId).streams) await storage.append(toAppend(stream))
  const { append, input } = ASKED
  await storage.admit({
    append: { ...append, inputs: [input], labels: LABELS },
    idempotency: { key: "once", fingerprint: "cd".repeat(32), usedAt: 900 },
  })
  await storage.raiseLinkEpoch({ kind: "artifact", task: toTaskId("0"), key: "image_1" })
  await storage.raiseLinkEpoch({ kind: "account", account: "ann", now: 12 })
  await storage.raiseLinkEpoch({ kind: "account", account: "ann", now: 12 })
  return storage
}

/** The append that makes a whole stream. */
export function toAppend({ id, events: stored }: SampleStream): Append {
  const events = stored.map(openEvent)
  const task = fold(id, events)
  const place = {
    kind: "enqueue",
    dueAt: 1,
    endBy: task.endBy,
    lease: null,
    startTag: null,
  } as const
  const retainAt = task.state === "succeeded.available" ? 1_209_600_000 : null
  return {
    task: id,
    expectedVersion: 0,
    events: stored,
    changes: project(task, stored.at(-1)?.hash ?? "", events),
    queue: isTerminal(task) ? { kind: "finish", retainAt } : place,
  }
}

export async function exportLines(
  storage: MemoryStorage,
  isSealed = true,
  now = NOW,
): Promise<string[]> {
  const options = { storage, digest: sha256, now, isSealed }
  const lines: string[] = []
  for await (const line of exportStreams(options)) lines.push(line)
  return lines
}

/** A file in pieces of an odd size, so that lines and characters are torn apart; they share a buffer. */
export function toFile(lines: readonly string[]): () => AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(lines.join(""))
  return async function* open() {
    const piece = Buffer.alloc(1_021)
    for (let start = 0; start < bytes.length; start += piece.length) {
      yield piece.subarray(0, bytes.copy(piece, 0, start))
      piece.fill(0)
    }
  }
}

/** The same lines with a trailer whose digest agrees, as a forger with the code would. */
export function resign(lines: readonly string[]): string[] {
  const body = lines.slice(0, -1)
  const trailer = JSON.parse(lines.at(-1) ?? "") as Record<string, unknown>
  const digest = createHash("sha256").update(body.join("")).digest("hex")
  return [...body, `${JSON.stringify({ ...trailer, sha256: digest })}\n`]
}

/** The line of the first record of this kind. */
export function findLine(lines: readonly string[], kind: string): number {
  return lines.findIndex((line) => line.startsWith(`{"kind":"${kind}"`))
}

/** Changes the record at `index`, and the digest with it. */
export function alterRecord(
  lines: readonly string[],
  index: number,
  alter: (record: Record<string, unknown>) => unknown,
): string[] {
  const record = JSON.parse(lines.at(index) ?? "") as Record<string, unknown>
  return resign(lines.toSpliced(index, 1, `${JSON.stringify(alter(record))}\n`))
}

function createAsked(id: string, body: string): { append: Append; input: Input } {
  const salt = "5a".repeat(16)
  const base = submission("ann", EDIT) as Extract<TaskCommand, { kind: "submit" }>
  const commitment = sha256([{ hex: salt }, body])
  const command = { ...base, submitted: { ...base.submitted, commitment } }
  return {
    append: toAppend(createStream(id, [command])),
    input: { task: id, name: "request", salt, body },
  }
}

function toKey(key: Partial<StoredKey>): StoredKey {
  const rest = { secretSha256: "ef".repeat(32), scopes: ["tasks:read"] as const, createdAt: 10 }
  return { id: "", account: "ann", ...rest, revokedAt: 0, expiresAt: 0, ...key }
}

/** Imports an export that is given as lines, its keys too. */
export function take(
  storage: Storage,
  lines: readonly string[],
  withKeys = true,
): Promise<ImportReport> {
  return importStreams({ storage, open: toFile(lines), digest: sha256, now: NOW, withKeys })
}
