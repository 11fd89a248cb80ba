/**
 * One account that is watched. Its new entries are read once, however many watch, and the last pages are
 * kept: whoever has read up to where one begins gets it from memory, and those who fell behind ask the storage.
 *
 *     news ─▶ reading ─▶ page kept, watchers told ─▶ reading again if there was more, or news meanwhile
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import type {
  ChangePage,
  ChangePosition,
  Feed,
  ReadEntry,
  PositionedChange,
  WatchRequest,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import { readEntries } from "./task-changes.ts"

/** Entries read at once. */
const PAGE = 200
const KEPT_PAGES = 16
/** Of an account that is busy the events of this long are read together. */
const READ_EVERY_MS = 10

type Storage = Pick<Context["storage"], "findFeed" | "readEvents" | "readFeed" | "readTask">

interface Needs extends Pick<Context, "clock" | "log"> {
  /** Ends all reading. */
  readonly over: AbortSignal
  readonly storage: Storage
}

export interface AccountWatch {
  /** Up to where watchers were told. */
  readonly position: () => ChangePosition
  readonly keptUntil: () => number
  readonly isWatched: () => boolean
  add(watcher: WatchRequest): void
  remove(watcher: WatchRequest): void
  /** Reads what came since and tells of it. If that fails it is logged, and done again when it is next asked for. */
  catchUp(): void
  /** What the storage says of the feed now; if it is another one, watchers are told. */
  note(feed: Feed): void
  /** The page after a position of this feed if it is kept; an empty one if watchers were told of no more. */
  findPage(after: ChangePosition): ChangePage | undefined
  end(): void
}

export function createAccountWatch(needs: Needs, opened: Feed): AccountWatch {
  const { storage } = needs
  const { account } = opened
  let feed = opened
  let told = opened.position
  const pages = new Map<number, ChangePage>()
  const watchers = createWatchers()

  async function readOnce(): Promise<boolean> {
    const { id } = feed
    const after = { feed: id, position: told }
    const entries = await storage.readFeed({ account, after: told, limit: PAGE })
    const page = await toPage(storage, after, entries)
    // Begun anew meanwhile.
    if (feed.id !== id) return false
    const last = entries.at(-1)?.position ?? told
    if (last === told) return false
    if (page.kind === "lost") {
      told = last
      pages.clear()
      watchers.tell("all")
      return entries.length === PAGE
    }
    pages.set(told, page)
    for (const position of pages.keys()) if (pages.size > KEPT_PAGES) pages.delete(position)
    told = last
    watchers.tell(new Set(entries.map(({ task }) => task)))
    return entries.length === PAGE
  }

  return {
    position: () => ({ feed: feed.id, position: told }),
    keptUntil: () => feed.keptUntil,
    isWatched: () => watchers.size() > 0,
    add: watchers.add,
    remove: watchers.remove,
    catchUp: createPacedReads(needs, readOnce),
    note(found) {
      const isSame = found.id === feed.id && found.position >= told
      feed = found
      if (isSame) return
      told = found.position
      pages.clear()
      watchers.tell("all")
    },
    findPage(after) {
      if (after.feed !== feed.id) return undefined
      // Watchers are told of what comes next.
      if (after.position === told) return { kind: "changes", next: after, changes: [] }
      return pages.get(after.position)
    },
    end: watchers.end,
  }
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

/**
 * The page that `entries` make; lost if they don't follow upon the position, and each upon the one before it: of
 * entries whose times fall, as by a clock that was set, the older are forgotten from between the newer.
 */
export async function toPage(
  storage: Pick<Storage, "readEvents" | "readTask">,
  after: ChangePosition,
  entries: readonly ReadEntry[],
): Promise<Extract<ChangePage, { kind: "changes" }> | { readonly kind: "lost" }> {
  const last = entries.at(-1)?.position ?? after.position
  if (last !== after.position + entries.length) return { kind: "lost" }
  const changes = await readEntries(storage, entries)
  const next = { ...after, position: last }
  return {
    kind: "changes",
    next,
    changes: changes.map(({ entry, ...change }): PositionedChange => {
      return { ...change, position: { ...after, position: entry.position } }
    }),
  }
}

interface Watchers {
  readonly size: () => number
  readonly add: (watcher: WatchRequest) => void
  readonly remove: (watcher: WatchRequest) => void
  /** Those who watch one of the tasks, or all. */
  readonly tell: (tasks: ReadonlySet<string> | "all") => void
  readonly end: () => void
}

function createWatchers(): Watchers {
  const all = new Set<WatchRequest>()
  /** Of those who watch one task alone. */
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
