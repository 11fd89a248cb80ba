/**
 * Claims and due moments. Claims go through the writer, one behind the other, so two callers never
 * get the same task; what is only looked for is read.
 */
import type { Claimed, DueRequest, Log, Storage, StreamHead } from "@safelight/core"
import type { SqlValue, Statement, StoreStatements } from "@safelight/store"
import { createEncoder } from "./encode-change.ts"
import type { EncodedChange, StepResult } from "./protocol.ts"
import { toHead } from "./head-reader.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export type QueueMethods = Pick<
  Storage,
  "claim" | "renew" | "release" | "findOverdue" | "findRetained" | "retain" | "nextDueAt"
>

interface HeadRecord {
  readonly snapshot: string
  readonly hash: string
}

export interface QueueMethodOptions {
  readonly writer: Writer
  readonly reader: Reader
  readonly statements: StoreStatements
  readonly log: Log
}

export function createQueueMethods(options: QueueMethodOptions): QueueMethods {
  const { reader, writer, statements } = options
  const { plain } = createEncoder(writer.toNumber)
  const { append, queue, read } = statements
  const findDue = async (statement: Statement, { now, limit }: DueRequest) =>
    reader
      .all<HeadRecord>(statement, { now, limit })
      .flatMap(({ snapshot, hash }) => toReadableHead(snapshot, hash, options.log))
  return {
    async claim({ models, now, limit, claim, until }) {
      if (models.length === 0 || limit <= 0) return []
      const values = { ...toModels(models), now, limit, claim, claimed_until: until }
      const rows = await writeForRows(
        writer,
        plain([{ statement: queue.claim(models.length), values }]),
      )
      return toClaimed(rows, claim, options.log)
    },
    async renew({ claim, until, tasks }) {
      const values = { claim, claimed_until: until, tasks: JSON.stringify(tasks) }
      const rows = await writeForRows(writer, plain([{ statement: queue.renew, values }]))
      return rows.map(([task]) => String(task))
    },
    async release({ claim, tasks, dueAt }) {
      const values = { claim, due_at: dueAt, tasks: JSON.stringify(tasks) }
      await writer.write(plain([{ statement: queue.release, values }]))
    },
    findOverdue: (request) => findDue(read.findOverdue, request),
    findRetained: (request) => findDue(read.findRetained, request),
    async retain({ task, dueAt }) {
      const step =
        dueAt === null
          ? { statement: append.dropRetention, values: { task } }
          : { statement: append.retain, values: { task, due_at: dueAt } }
      await writer.write(plain([step]))
    },
    async nextDueAt(models) {
      if (models.length === 0) return null
      const statement = queue.findNextDueAt(models.length)
      const [row] = reader.all<{ readonly due_at: number | null }>(statement, toModels(models))
      return row?.due_at ?? null
    },
  }
}

function toModels(models: readonly string[]): Record<string, string> {
  return Object.fromEntries(models.map((model, index) => [`model_${index}`, model]))
}

async function writeForRows(
  writer: Writer,
  change: EncodedChange,
): Promise<readonly (readonly SqlValue[])[]> {
  const outcome = await writer.write(change)
  const rows: StepResult | undefined = typeof outcome === "object" ? outcome[0] : undefined
  if (typeof rows !== "object") throw new TypeError("a claim's statement returns rows")
  return rows
}

/** None for a snapshot that can't be read: one damaged row must not stop the queue for the others. */
function toReadableHead(snapshot: string, hash: string, log: Log): StreamHead[] {
  try {
    return [toHead(snapshot, hash)]
  } catch (error) {
    log.error({ error, hash }, "a task can't be read")
    return []
  }
}

type ClaimRow = readonly [task: string, dueAt: number, snapshot: string | null, hash: string | null]

function toClaimed(
  rows: readonly (readonly SqlValue[])[],
  claim: string,
  log: Log,
): readonly Claimed[] {
  const claimed: Claimed[] = []
  const inOrder = (rows as readonly ClaimRow[]).toSorted(
    ([task, dueAt], [other, otherDueAt]) => dueAt - otherDueAt || (task < other ? -1 : 1),
  )
  for (const [task, , snapshot, hash] of inOrder) {
    if (snapshot === null || hash === null) log.error({ task }, "the queue names an unknown task")
    else {
      const heads = toReadableHead(snapshot, hash, log)
      claimed.push(...heads.map((head) => ({ ...head, claim })))
    }
  }
  return claimed
}
