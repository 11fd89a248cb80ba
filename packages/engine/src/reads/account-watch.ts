/**
 * One account that is watched. Its new entries are read once for all watchers, and the last pages are kept in
 * memory: a watcher that has read up to the beginning of a kept page gets it from there, and one that fell behind
 * asks the storage.
 *
 *     news ─▶ reading ─▶ page kept, watchers notified ─▶ reading again if there was more, or news meanwhile
 *               └─ lost: nothing is kept, all watchers notified; each asks again from its position, and learns it
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import type { ChangePage, ChangePosition, Feed, WatchRequest } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { PAGE, readPage, type PageStorage } from "./read-page.ts"

const KEPT_PAGES = 16
/** The events of a busy account are read together once in this time. */
const READ_EVERY_MS = 10

interface Needs extends Pick<Context, "clock" | "log"> {
  /** Ends all reading. */
  readonly over: AbortSignal
  readonly storage: PageStorage
}

export interface AccountWatch {
  /** The position up to which watchers were notified. */
  readonly position: () => ChangePosition
  readonly keptUntil: () => number
  readonly isWatched: () => boolean
  add(watcher: WatchRequest): void
  remove(watcher: WatchRequest): void
  /** Reads what came since and notifies watchers. A failure is logged, and the next call tries again. */
  catchUp(): void
  /** What the storage says of the feed now. Reads on if watchers were not notified of all of it. */
  note(feed: Feed): void
  /** The page after a position if it is kept; an empty one if watchers were notified of nothing later. */
  findPage(after: ChangePosition): ChangePage | undefined
  end(): void
}

/** `begin` is where the feed stands. */
export function createAccountWatch(
  needs: Needs,
  opened: Feed,
  begin: ChangePosition,
): AccountWatch {
  const { account } = opened
  let { keptUntil } = opened
  let notified = begin
  let isRead = true
  const pages = new Map<number, { readonly after: ChangePosition; readonly page: ChangePage }>()
  const watchers = createWatchers()

  async function readOnce(): Promise<boolean> {
    isRead = false
    const after = notified
    const page = await readPage(needs.storage, { account, after })
    isRead = true
    if (page.kind === "lost") {
      notified = page.position
      pages.clear()
      watchers.tell("all")
      return false
    }
    if (page.changes.length === 0) return false
    pages.set(after.position, { after, page })
    for (const position of pages.keys()) if (pages.size > KEPT_PAGES) pages.delete(position)
    notified = page.next
    watchers.tell(new Set(page.changes.map(({ task }) => task.id)))
    return page.changes.length === PAGE
  }

  const catchUp = createPacedReads(needs, readOnce)

  return {
    position: () => notified,
    keptUntil: () => keptUntil,
    isWatched: () => watchers.size() > 0,
    add: watchers.add,
    remove: watchers.remove,
    catchUp,
    note(found) {
      keptUntil = found.keptUntil
      const isNotified = found.id === notified.feed && found.position === notified.position
      if (!isNotified || !isRead) catchUp()
    },
    findPage(after) {
      // Watchers are notified of what comes next.
      if (isSame(after, notified)) return { kind: "changes", next: after, changes: [] }
      const kept = pages.get(after.position)
      return kept !== undefined && isSame(after, kept.after) ? kept.page : undefined
    },
    end: watchers.end,
  }
}

function isSame(one: ChangePosition, other: ChangePosition): boolean {
  const { digits, feed, position } = one
  return digits === other.digits && feed === other.feed && position === other.position
}

/**
 * Reads to the end whenever it is asked, one reading at a time and with a pause between two. A reading sees all that
 * was there when it was asked for.
 */
function createPacedReads(
  { clock, log, over }: Needs,
  readOnce: () => Promise<boolean>,
): () => void {
  let isReading = false
  let isDue = false
  let readAt = -Infinity

  async function read(): Promise<void> {
    isReading = true
    try {
      // Nothing runs between the last look at `isDue` and the end of reading, so no news is missed.
      do {
        const pauseMs = readAt + READ_EVERY_MS - clock.monotonicNow()
        if (pauseMs > 0) await clock.wait(pauseMs, over)
        // Behind the appends of this turn: they are read together.
        await nextTurn()
        readAt = clock.monotonicNow()
        isDue = false
        while (!over.aborted && (await readOnce()));
      } while (isDue && !over.aborted)
    } catch (error) {
      if (!over.aborted) log.warn({ error }, "feed not read")
    } finally {
      isReading = false
    }
  }

  return () => {
    isDue = true
    if (!isReading) void read()
  }
}

interface Watchers {
  readonly size: () => number
  readonly add: (watcher: WatchRequest) => void
  readonly remove: (watcher: WatchRequest) => void
  /** Those that watch one of the tasks, or all. */
  readonly tell: (tasks: ReadonlySet<string> | "all") => void
  readonly end: () => void
}

function createWatchers(): Watchers {
  const all = new Set<WatchRequest>()
  /** Of those that watch a single task. */
  const byTask = new Map<string, Set<WatchRequest>>()
  const ofAccount = new Set<WatchRequest>()
  return {
    size: () => all.size,
    add(watcher) {
      all.add(watcher)
      const { task } = watcher
      if (task === undefined) ofAccount.add(watcher)
      else byTask.set(task, (byTask.get(task) ?? new Set()).add(watcher))
    },
    remove(watcher) {
      all.delete(watcher)
      ofAccount.delete(watcher)
      const { task = "" } = watcher
      const those = byTask.get(task)
      those?.delete(watcher)
      if (those?.size === 0) byTask.delete(task)
    },
    tell(tasks) {
      if (tasks === "all") {
        for (const { onNews } of all) onNews()
        return
      }
      for (const { onNews } of ofAccount) onNews()
      for (const task of tasks) for (const { onNews } of byTask.get(task) ?? []) onNews()
    },
    end() {
      for (const { onEnd } of all) onEnd()
    },
  }
}
