/** What the queue's statements give, as heads: a row that can't be read is logged and left out. */
import { fromSnapshot, type Claimed, type Log, type StreamHead } from "@safelight/core"

export interface ClaimRecord {
  readonly task: string
  readonly due_at: number
  readonly turn: number | null
  readonly snapshot: string | null
  readonly hash: string | null
}

/** None for a snapshot that can't be read: one damaged row must not stop the queue for the others. */
export function toReadableHead(snapshot: string, hash: string, log: Log): StreamHead[] {
  try {
    return [{ task: fromSnapshot(snapshot), hash }]
  } catch (error) {
    log.error({ error, hash }, "a task can't be read")
    return []
  }
}

export function toClaimed(
  records: readonly ClaimRecord[],
  claim: string,
  log: Log,
): readonly Claimed[] {
  const claimed: Claimed[] = []
  for (const { task, turn, snapshot, hash } of records.toSorted(compareClaimed)) {
    if (snapshot === null || hash === null) log.error({ task }, "the queue names an unknown task")
    else {
      const heads = toReadableHead(snapshot, hash, log)
      claimed.push(...heads.map((head) => ({ ...head, claim, turn })))
    }
  }
  return claimed
}

/** Steps by their moments, then starts by their turns. */
function compareClaimed(one: ClaimRecord, other: ClaimRecord): number {
  const byKind = Number(one.turn !== null) - Number(other.turn !== null)
  const byPlace =
    one.turn === null || other.turn === null ? one.due_at - other.due_at : one.turn - other.turn
  return byKind || byPlace || (one.task < other.task ? -1 : 1)
}
