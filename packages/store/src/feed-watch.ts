/**
 * Tells who listens that the feed of an account has grown. An append doesn't say whether its account has a
 * feed, so the accounts that are known to have one are kept here. If another process has begun a feed and
 * this one hasn't heard of it, its entries are written all the same and only found later.
 */
import type { WakeUps } from "./wake-ups.ts"

export interface FeedWatch {
  readonly noteOpened: (account: string) => void
  /** All there are. */
  readonly noteFeeds: (accounts: readonly string[]) => void
  /** Events of the account were added to the log by this process. */
  readonly noteAppended: (account: string) => void
  readonly onFed: (listener: (account: string) => void) => () => void
}

/** Without `others` there are no other processes, or none that tell. */
export function createFeedWatch(others?: Pick<WakeUps, "noteFed" | "onFed">): FeedWatch {
  const listeners = new Set<(account: string) => void>()
  let known = new Set<string>()

  return {
    noteOpened(account) {
      known.add(account)
      others?.noteFed(account)
    },
    noteFeeds(accounts) {
      known = new Set(accounts)
    },
    noteAppended(account) {
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
