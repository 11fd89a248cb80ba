/**
 * Reading the newest state of tasks, the hottest read there is: gathered, and a head whose hash is
 * known is not parsed again.
 */
import { createBoundedCache, fromSnapshot, type StreamHead } from "@safelight/core"
import { toTextArray } from "./binary-array.ts"
import { DEFAULTS } from "./defaults.ts"
import { createGatheredRead } from "./gathered-read.ts"
import type { Sessions } from "./sessions.ts"

type HeadRow = readonly [task: string, snapshot: string, hash: string]

const FIND_HEADS = {
  name: "find heads",
  text: "select id, snapshot, hash from tasks where id = any($1::text[])",
}

export function createHeadReader(
  sessions: Sessions,
): (task: string) => Promise<StreamHead | undefined> {
  const known = createBoundedCache<StreamHead>(DEFAULTS.keptHeads)

  function toHead([task, snapshot, hash]: HeadRow): StreamHead {
    const last = known.get(task)
    if (last?.hash === hash) return last
    const head = { task: fromSnapshot(snapshot), hash }
    known.set(task, head)
    return head
  }

  return createGatheredRead(async (tasks) => {
    const rows = await sessions.readRows({ ...FIND_HEADS, values: [toTextArray(tasks)] })
    return new Map((rows as readonly HeadRow[]).map((row) => [row[0], () => toHead(row)]))
  })
}
