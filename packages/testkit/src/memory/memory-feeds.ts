/** Feeds in the storage in memory. */
import {
  KEPT_FOREVER,
  type Append,
  type Feed,
  type FeedEntry,
  type FeedStorage,
  type ForgetFeedRequest,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"

export interface MemoryFeeds extends FeedStorage {
  /** By account. */
  readonly feeds: Map<string, Feed>
  /** Adds the events to the feed of their account, if it has one. */
  addEvents(append: Append): void
  /** Takes the newest entries back that tell of events of the task behind `version`. */
  takeBack(task: string, version: number): void
}

/** By account. */
interface FeedTables {
  readonly feeds: Map<string, Feed>
  readonly entries: Map<string, readonly FeedEntry[]>
}

export function createMemoryFeeds(): MemoryFeeds {
  const feeds: FeedTables["feeds"] = new Map()
  const entries: FeedTables["entries"] = new Map()
  const listeners = new Set<(account: string, isOwn: boolean) => void>()
  let opened = 0

  const entriesOf = (account: string): readonly FeedEntry[] => entries.get(account) ?? []

  return {
    feeds,
    addEvents({ changes, events }) {
      const { account } = changes.task
      const feed = feeds.get(account)
      if (feed === undefined) return
      const added = events.map(({ at, task, type, version }, index) => {
        return { account, position: feed.position + index + 1, at, task, type, version }
      })
      entries.set(account, [...entriesOf(account), ...added])
      feeds.set(account, { ...feed, position: feed.position + added.length })
      for (const listener of listeners) listener(account, true)
    },
    takeBack(task, version) {
      for (const [account, feed] of feeds) {
        const all = entriesOf(account)
        const last = all.findLast((each) => each.task !== task || each.version <= version)
        const position = last?.position ?? feed.position - all.length
        entries.set(account, all.slice(0, all.length - (feed.position - position)))
        feeds.set(account, { ...feed, position })
      }
    },
    async openFeed({ account, until }) {
      const known = feeds.get(account)
      opened += 1
      const begun = { account, id: `feed-${opened}`, keptUntil: until, position: 0, spreadTo: 0 }
      const feed = known && { ...known, keptUntil: Math.max(known.keptUntil, until) }
      feeds.set(account, feed ?? begun)
      return feed ?? begun
    },
    async limitFeed({ account, until }) {
      const feed = feeds.get(account)
      if (feed === undefined) return
      feeds.set(account, { ...feed, keptUntil: Math.min(feed.keptUntil, until) })
    },
    findFeed: async (account) => feeds.get(account),
    listFeeds: async () => [...feeds.values()].toSorted((a, b) => compareIds(a.account, b.account)),
    readFeed: async ({ account, after, limit }) =>
      entriesOf(account)
        .filter(({ position }) => position > after)
        .slice(0, limit),
    forgetFeed: async (request) => forget({ entries, feeds }, request),
    onFed(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function forget({ entries, feeds }: FeedTables, request: ForgetFeedRequest): number {
  const { account, now, before, limit } = request
  const feed = feeds.get(account)
  if (feed === undefined) return 0
  const isOver = feed.keptUntil < now
  const passed = feed.keptUntil === KEPT_FOREVER ? feed.spreadTo : feed.position
  const all = entries.get(account) ?? []
  const old = all.filter(({ at }) => at < (isOver ? now : before))
  const newest = old.at(-1)?.position ?? 0
  const passable = old.filter(({ position }) => position <= passed && position < newest)
  const gone = new Set(passable.slice(0, limit))
  entries.set(
    account,
    all.filter((entry) => !gone.has(entry)),
  )
  if (isOver && gone.size < limit) {
    feeds.delete(account)
    entries.delete(account)
  }
  return gone.size
}
