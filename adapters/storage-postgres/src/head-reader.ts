/**
 * Reading the newest state of tasks, the hottest read there is. Calls of one turn of the event loop
 * are one query, sent behind the last of them, so each sees every commit acknowledged before it. A
 * head whose hash is known is not parsed again.
 */
import { createBoundedCache, fromSnapshot, type StreamHead } from "@safelight/core"
import { toTextArray } from "./binary-array.ts"
import { DEFAULTS } from "./defaults.ts"
import { hasNul } from "./named-query.ts"
import type { Sessions } from "./sessions.ts"

type HeadRow = readonly [task: string, snapshot: string, hash: string]

interface PendingRead {
  readonly task: string
  readonly resolve: (head: StreamHead | undefined) => void
  readonly reject: (error: unknown) => void
}

const FIND_HEADS = {
  name: "find heads",
  text: "select id, snapshot, hash from tasks where id = any($1::text[])",
}

export function createHeadReader(
  sessions: Sessions,
): (task: string) => Promise<StreamHead | undefined> {
  const known = createBoundedCache<StreamHead>(DEFAULTS.keptHeads)
  let waiting: PendingRead[] = []

  function toHead([task, snapshot, hash]: HeadRow): StreamHead {
    const last = known.get(task)
    if (last?.hash === hash) return last
    const head = { task: fromSnapshot(snapshot), hash }
    known.set(task, head)
    return head
  }

  async function readWaiting(): Promise<void> {
    const reads = waiting
    waiting = []
    try {
      const ids = new Set(reads.map(({ task }) => task).filter((task) => !hasNul(task)))
      const tasks = toTextArray([...ids])
      const found = await sessions.readRows({ ...FIND_HEADS, values: [tasks] })
      const rows = new Map((found as readonly HeadRow[]).map((row) => [row[0], row]))
      for (const read of reads) settle(read, rows.get(read.task))
    } catch (error) {
      for (const { reject } of reads) reject(error)
    }
  }

  function settle({ resolve, reject }: PendingRead, row: HeadRow | undefined): void {
    try {
      resolve(row && toHead(row))
    } catch (error) {
      reject(error)
    }
  }

  return (task) =>
    new Promise((resolve, reject) => {
      waiting.push({ task, resolve, reject })
      if (waiting.length === 1) setImmediate(() => void readWaiting())
    })
}
