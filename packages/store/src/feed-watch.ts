/**
 * Tells who listens that the feed of an account has grown. An append doesn't say whether its account has a
 * feed, so the accounts that are known to have one are kept here. A process learns of the feeds that there are
 * at its first append, and from then on of those that others begin. If it hasn't heard of one, the entries are
 * written all the same and only found later.
 */
import type { Log } from "@safelight/core"
import type { WakeUps } from "./wake-ups.ts"

export interface FeedWatch {
  readonly noteOpened: (account: string) => void
  /** All there are. */
  readonly noteFeeds: (accounts: readonly string[]) => void
  /** Events of the account were added to the log by this process. */
  readonly noteAppended: (account: string) => void
  readonly onFed: (listener: (account: string) => void) => () => void
}

export interface FeedWatchOptions {
  /** Absent: there are no other processes, or none that tell. */
  readonly others: Pick<WakeUps, "noteFed" | "onFed" | "onListening"> | undefined
  /** Reads all feeds and hands them to `noteFeeds`. */
  readonly learn: () => Promise<unknown>
  readonly log: Log
}

export function createFeedWatch({ others, learn, log }: FeedWatchOptions): FeedWatch {
  const listeners = new Set<(account: string) => void>()
  let known = new Set<string>()
  let isLearning = false

  /** Those who watch look at all feeds now and then: what isn't known here, they only find later. */
  function learnAll(): void {
    learn().catch((error: unknown) => log.warn({ error }, "feeds not read"))
  }

  function beginToLearn(): void {
    if (others === undefined || isLearning) return
    isLearning = true
    others.onFed((account) => known.add(account))
    others.onListening(learnAll)
    learnAll()
  }

  return {
    noteOpened(account) {
      known.add(account)
      others?.noteFed(account)
    },
    noteFeeds(accounts) {
      known = new Set(accounts)
    },
    noteAppended(account) {
      beginToLearn()
      if (!known.has(account)) return
      for (const listener of listeners) listener(account)
      others?.noteFed(account)
    },
    onFed(listener) {
      listeners.add(listener)
      const stopListening = others?.onFed((account) => {
        known.add(account)
        listener(account)
      })
      return () => {
        listeners.delete(listener)
        stopListening?.()
      }
    },
  }
}
