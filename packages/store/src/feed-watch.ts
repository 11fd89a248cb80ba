/**
 * Notifies listeners that the feed of an account has grown. An append doesn't say whether its account has a feed, so
 * the accounts that are known to have one are kept here. A process reads the existing feeds at its first append, and
 * is notified of feeds that others begin. The entries of a feed that it does not know are written all the same,
 * and only found later. Other processes are notified of what one of them watches: a notification costs the database
 * as much as there are processes, and a feed that is kept for webhooks alone is read by none of them.
 */
import { WATCHED_MS, type Append, type FeedStorage, type Log } from "@safelight/core"
import type { RecentTasks } from "./recent-tasks.ts"
import type { WakeUps } from "./wake-ups.ts"

export interface FeedWatch {
  /** This process began the feed. */
  readonly noteOpened: (account: string) => void
  /** The feed is there: what this process adds to it is told here. */
  readonly noteFound: (account: string) => void
  /**
   * Reads all feeds. From then on it knows their accounts alone, and those that it was notified of during the read.
   */
  readonly list: <Feed extends { readonly account: string }>(
    read: () => Promise<readonly Feed[]>,
  ) => Promise<readonly Feed[]>
  /** This process added events to the log. */
  readonly noteAppended: (append: Append) => void
  readonly onFed: (listener: FedListener) => () => void
  /** Absent if there are no other processes. */
  readonly noteWatched: FeedStorage["noteWatched"]
}

type FedListener = (account: string, isOwn: boolean) => void

export interface FeedWatchOptions {
  /** Absent if there are no other processes, or none that notify. */
  readonly others:
    | Pick<WakeUps, "noteFed" | "noteWatched" | "onFed" | "onListening" | "onWatched">
    | undefined
  /** Reads all feeds by `list`. */
  readonly learn: () => Promise<unknown>
  /** Keeps tasks that are appended for accounts with a feed. */
  readonly recent: Pick<RecentTasks, "keep">
  readonly log: Log
}

export function createFeedWatch({ others, learn, log, recent }: FeedWatchOptions): FeedWatch {
  const listeners = new Set<FedListener>()
  const known = createKnownFeeds()
  let isLearning = false
  const watched = createWatchedAccounts()

  /** Watchers check all feeds now and then: they find a feed that is not known here only then. */
  function learnAll(): void {
    learn().catch((error: unknown) => log.warn({ error }, "feeds not read"))
  }

  function beginToLearn(): void {
    if (others === undefined || isLearning) return
    isLearning = true
    others.onFed(known.add)
    others.onWatched((account) => {
      known.add(account)
      watched.note(account)
    })
    others.onListening(learnAll)
    learnAll()
  }

  return {
    noteFound: known.add,
    noteOpened(account) {
      known.add(account)
      others?.noteFed(account)
    },
    list: known.list,
    noteAppended(append) {
      const { account } = append.changes.task
      beginToLearn()
      if (!known.has(account)) return
      recent.keep(append)
      for (const listener of listeners) listener(account, true)
      if (watched.has(account)) others?.noteFed(account)
    },
    noteWatched: others && ((accounts) => accounts.forEach(others.noteWatched)),
    onFed(listener) {
      listeners.add(listener)
      const stopListening = others?.onFed((account) => {
        known.add(account)
        listener(account, false)
      })
      // Notifications were missed meanwhile; and if the database has lost commits, a feed may have as many entries as
      // before, but other ones.
      const stopHearing = others?.onListening(() =>
        known.forEach((account) => listener(account, false)),
      )
      return () => {
        listeners.delete(listener)
        stopListening?.()
        stopHearing?.()
      }
    },
  }
}

interface KnownFeeds extends Pick<FeedWatch, "list"> {
  readonly add: (account: string) => void
  readonly has: (account: string) => boolean
  readonly forEach: (visit: (account: string) => void) => void
}

/** The accounts that are known to have a feed. */
function createKnownFeeds(): KnownFeeds {
  let known = new Set<string>()
  /** What was added since each read of the list began: the list may be older. */
  const added = new Set<Set<string>>()
  return {
    add(account) {
      known.add(account)
      for (const since of added) since.add(account)
    },
    has: (account) => known.has(account),
    forEach: (visit) => known.forEach(visit),
    async list(read) {
      const since = new Set<string>()
      added.add(since)
      try {
        const feeds = await read()
        known = new Set([...feeds.map(({ account }) => account), ...since])
        return feeds
      } finally {
        added.delete(since)
      }
    },
  }
}

interface WatchedAccounts {
  readonly note: (account: string) => void
  readonly has: (account: string) => boolean
}

/** Of other processes, each for a while. */
function createWatchedAccounts(): WatchedAccounts {
  /** On the monotonic clock. */
  const until = new Map<string, number>()
  return {
    note: (account) => void until.set(account, performance.now() + WATCHED_MS),
    has(account) {
      const isWatched = performance.now() < (until.get(account) ?? -Infinity)
      if (!isWatched) until.delete(account)
      return isWatched
    },
  }
}
