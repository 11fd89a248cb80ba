/**
 * Pages of an account's feed, from the storage. The entry at the position itself is read as well: the hash of its
 * event shows whether it is still the event that the reader got, since a database that lost its last commits
 * gives their positions to other events.
 */
import {
  TASK_BEGIN,
  toHashDigits,
  type ChangePage,
  type ChangePosition,
  type Feed,
  type PositionedChange,
  type ReadChangesRequest,
  type TaskChange,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import { readEntries } from "./task-changes.ts"

/** Entries read at once. */
export const PAGE = 200

export type PageStorage = Pick<
  Context["storage"],
  "findFeed" | "readEvents" | "readFeed" | "readTask"
>

/**
 * The page after the position. It is lost if another event is at the position, or if an entry does not follow upon
 * the one before it: after a clock was set back, older entries are forgotten from between newer ones.
 */
export async function readPage(
  storage: PageStorage,
  { account, after }: ReadChangesRequest,
): Promise<ChangePage> {
  const first = Math.max(1, after.position)
  const hasPlace = after.position > 0
  const limit = hasPlace ? PAGE + 1 : PAGE
  const entries = await storage.readFeed({ account, after: first - 1, limit })
  // Read after the entries, which may be those of a new feed that was begun meanwhile.
  const [read, feed] = await Promise.all([readEntries(storage, entries), storage.findFeed(account)])
  const behind = hasPlace ? read.slice(1) : read
  const changes = behind.flatMap((change, index): readonly PositionedChange[] => {
    if (change === undefined) return []
    const position = after.position + index + 1
    return [{ ...change, position: { ...after, position, digits: toHashDigits(change.hash) } }]
  })
  const isWhole =
    changes.length === behind.length &&
    entries.every(({ position }, index) => position === first + index)
  if (feed?.id === after.feed && isWhole && isStillThere(after, read)) {
    return { kind: "changes", changes, next: changes.at(-1)?.position ?? after }
  }
  return { kind: "lost", position: await findPosition(storage, account, feed) }
}

/** `read` has the entry at the position and those after it. */
function isStillThere(
  { digits, position }: ChangePosition,
  read: readonly (TaskChange | undefined)[],
): boolean {
  if (position === 0) return digits === toDigits(undefined)
  return read.length > 0 && digits === toDigits(read[0])
}

/** The last position of an account's feed. */
export async function findPosition(
  storage: PageStorage,
  account: string,
  feed: Feed | undefined,
): Promise<ChangePosition> {
  const { id, position } = feed ?? { id: "", position: 0 }
  const entries =
    position === 0 ? [] : await storage.readFeed({ account, after: position - 1, limit: 1 })
  const [newest] = await readEntries(storage, entries)
  return { feed: id, position, digits: toDigits(newest) }
}

/** Zeros where there is no event. */
function toDigits(change: TaskChange | undefined): string {
  return change === undefined ? TASK_BEGIN.digits : toHashDigits(change.hash)
}
