/** What the queue's statements give, as heads: a row that can't be read is logged and left out. */
import { fromSnapshot, type Log, type StreamHead, type Taken } from "@safelight/core"

export interface TakenRecord {
  readonly task: string
  readonly due_at: number
  readonly start_tag: number | null
  readonly running_limit: number | null
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

export function toTaken(
  records: readonly TakenRecord[],
  lease: string,
  log: Log,
): readonly Taken[] {
  const taken: Taken[] = []
  for (const { task, start_tag, running_limit, snapshot, hash } of records.toSorted(compareTaken)) {
    if (snapshot === null || hash === null) log.error({ task }, "the queue names an unknown task")
    else {
      const heads = toReadableHead(snapshot, hash, log)
      taken.push(
        ...heads.map((head) => ({
          ...head,
          lease,
          startTag: start_tag,
          runningLimit: running_limit,
        })),
      )
    }
  }
  return taken
}

/** Due tasks by their moments, then new tasks by their start tags. */
function compareTaken(one: TakenRecord, other: TakenRecord): number {
  const byKind = Number(one.start_tag !== null) - Number(other.start_tag !== null)
  const byPlace =
    one.start_tag === null || other.start_tag === null
      ? one.due_at - other.due_at
      : one.start_tag - other.start_tag
  return byKind || byPlace || (one.task < other.task ? -1 : 1)
}
