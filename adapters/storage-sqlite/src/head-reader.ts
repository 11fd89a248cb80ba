/**
 * Reading the newest state of tasks, the hottest read there is. Calls of one turn of the event loop
 * are gathered. Heads read lately are kept: they hold while SQLite's own change counter stands
 * still, and one whose hash is the same need not be parsed again.
 */
import type { DatabaseSync } from "node:sqlite"
import { createBoundedCache, fromSnapshot, type StreamHead } from "@safelight/core"
import type { Statement } from "@safelight/store"
import { DEFAULTS } from "./defaults.ts"
import { prepareArrays } from "./prepare-arrays.ts"
import { translated } from "./storage-error.ts"

type HeadRow = readonly [snapshot: string, hash: string]

interface KnownHead {
  readonly head: StreamHead
  /** SQLite's `data_version` when it was read: it changes with every other connection's commit. */
  readonly dataVersion: number
}

interface PendingRead {
  readonly task: string
  readonly resolve: (head: StreamHead | undefined) => void
  readonly reject: (error: unknown) => void
}

export function createHeadReader(
  database: DatabaseSync,
  findHead: Statement,
  inTransaction: (read: () => void) => void,
): (task: string) => Promise<StreamHead | undefined> {
  const headStatement = prepareArrays(database, findHead.sql)
  const versionStatement = prepareArrays(database, "pragma data_version")
  const known = createBoundedCache<KnownHead>(DEFAULTS.keptHeads)
  let waiting: PendingRead[] = []

  function readOne(task: string, dataVersion: number): StreamHead | undefined {
    const last = known.get(task)
    if (last?.dataVersion === dataVersion) return last.head
    const row = headStatement.get(task) as unknown as HeadRow | undefined
    if (row === undefined) return undefined
    const head = last?.head.hash === row[1] ? last.head : toHead(row[0], row[1])
    known.set(task, { head, dataVersion })
    return head
  }

  function settle({ task, resolve, reject }: PendingRead, dataVersion: number): void {
    try {
      resolve(translated(() => readOne(task, dataVersion)))
    } catch (error) {
      reject(error)
    }
  }

  function readWaiting(): void {
    const reads = waiting
    waiting = []
    try {
      inTransaction(() => {
        const [dataVersion] = versionStatement.get() as unknown as [number]
        for (const read of reads) settle(read, dataVersion)
      })
    } catch (error) {
      for (const { reject } of reads) reject(error)
    }
  }

  return (task) =>
    new Promise((resolve, reject) => {
      waiting.push({ task, resolve, reject })
      if (waiting.length === 1) setImmediate(readWaiting)
    })
}

export function toHead(snapshot: string, hash: string): StreamHead {
  return { task: fromSnapshot(snapshot), hash }
}
