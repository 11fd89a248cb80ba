/**
 * Notifies listeners that the feed of an account has grown. An append doesn't say whether its account has a feed, so
 * the accounts that are known to have one are kept here. A process reads the existing feeds at its first append, and
 * is notified of feeds that others begin. The entries of a feed that it does not know are written all the same,
 * and only found later.
 */
import type { Append, Log } from "@safelight/core"
import type { RecentTasks } from "./recent-tasks.ts"
import type { WakeUps } from "./wake-ups.ts"

export interface FeedWatch {
  readonly noteOpened: (account: string) => void
  /**
   * Reads all feeds. From then on it knows their accounts alone, and those that it was notified of during the read.
   */
  readonly list: <Feed extends { readonly account: string }>(
    read: () => Promise<readonly Feed[]>,
  ) => Promise<readonly Feed[]>
  /** This process added events to the log. */
  readonly noteAppended: (append: Append) => void
  readonly onFed: (listener: (account: string) => void) => () => void
}

export interface FeedWatchOptions {
  /** Absent if there are no other processes, or none that notify. */
  readonly others: Pick<WakeUps, "noteFed" | "onFed" | "onListening"> | undefined
  /** Reads all feeds by `list`. */
  readonly learn: () => Promise<unknown>
  /** Keeps tasks that are appended for accounts with a feed. */
  readonly recent: Pick<RecentTasks, "keep">
  readonly log: Log
}

export function createFeedWatch({ others, learn, log, recent }: FeedWatchOptions): FeedWatch {
  const listeners = new Set<(account: string) => void>()
  let known = new Set<string>()
  /** The notifications since each read of the list began: the list may be older. */
  const heard = new Set<Set<string>>()
  let isLearning = false

  function hear(account: string): void {
    known.add(account)
    for (const since of heard) since.add(account)
  }

  /** Watchers check all feeds now and then: they find a feed that is not known here only then. */
  function learnAll(): void {
    learn().catch((error: unknown) => log.warn({ error }, "feeds not read"))
  }

  function beginToLearn(): void {
    if (others === undefined || isLearning) return
    isLearning = true
    others.onFed(hear)
    others.onListening(learnAll)
    learnAll()
  }

  return {
    noteOpened(account) {
      hear(account)
      others?.noteFed(account)
    },
    async list(read) {
      const since = new Set<string>()
      heard.add(since)
      try {
        const feeds = await read()
        known = new Set([...feeds.map(({ account }) => account), ...since])
        return feeds
      } finally {
        heard.delete(since)
      }
    },
    noteAppended(append) {
      const { account } = append.changes.task
      beginToLearn()
      if (!known.has(account)) return
      recent.keep(append)
      for (const listener of listeners) listener(account)
      others?.noteFed(account)
    },
    onFed(listener) {
      listeners.add(listener)
      const stopListening = others?.onFed((account) => {
        hear(account)
        listener(account)
      })
      // Notifications were missed meanwhile; and if the database has lost commits, a feed may have as many entries as
      // before, but other ones.
      const stopHearing = others?.onListening(() => known.forEach(listener))
      return () => {
        listeners.delete(listener)
        stopListening?.()
        stopHearing?.()
      }
    },
  }
}
