/**
 * Feeds: the events of all of an account's tasks, in one order. Only accounts that are watched have one,
 * so that others pay nothing for it. An account's feed numbers the events of its tasks 1, 2, 3… without
 * gaps, in the order of commits: each entry is written in the commit of its event, and a reader that has read
 * up to a position has missed nothing before it. Errors are those of `TaskStorage`.
 */
import type { StreamHead } from "./stream-head.ts"

/** Of a feed that is kept until it is told otherwise. */
export const KEPT_FOREVER = Number.MAX_SAFE_INTEGER

/** For how long a process is told of accounts once it has asked. */
export const WATCHED_MS = 60_000

export interface FeedStorage {
  /**
   * Begins the account's feed, or keeps the one it has until `until` at least. Every event whose append
   * begins after this has resolved is in the feed; durable once resolved.
   */
  openFeed(request: { readonly account: string; readonly until: number }): Promise<Feed>
  /** Keeps the account's feed no longer than until `until`; without effect if there is none. */
  limitFeed(request: { readonly account: string; readonly until: number }): Promise<void>
  /** The account's feed; undefined if it has none. */
  findFeed(account: string): Promise<Feed | undefined>
  /** Every feed, by account in the order of its bytes. */
  listFeeds(): Promise<readonly Feed[]>
  /** The entries after a position, in order; fewer than `limit` only at the end. */
  readFeed(request: ReadFeedRequest): Promise<readonly ReadEntry[]>
  /**
   * Removes at most `limit` entries from before `before`, the oldest first: of a feed without end only those
   * that `spreadTo` has passed. The newest of them stays, so that a reader which has read up to it is distinguished
   * from one that read another one there. A feed that is no longer kept at `now` is removed as a whole, over
   * several calls if need be. Resolves to how many entries were removed.
   */
  forgetFeed(request: ForgetFeedRequest): Promise<number>
  /**
   * Calls `listener` soon after events were added to the feed of an account, by any process, or may have been; `isOwn`
   * if this one did it. A call may be missed, so that feeds must be looked at anyway. Others only tell of accounts that
   * are noted as watched. Returns how to stop.
   */
  onFed(listener: (account: string, isOwn: boolean) => void): () => void
  /**
   * Asks other processes to tell, for `WATCHED_MS` from now, what they add to the feeds of these accounts. The request
   * may be missed. Absent if one process is all there is.
   */
  noteWatched?(accounts: readonly string[]): void
}

export interface Feed {
  readonly account: string
  /** Another for each feed that the account ever had: positions of one mean nothing in another. */
  readonly id: string
  /** Of the newest entry; 0 before the first. */
  readonly position: number
  /** Milliseconds; `KEPT_FOREVER` without an end. */
  readonly keptUntil: number
  /** Up to where the entries were spread to the account's webhooks. */
  readonly spreadTo: number
}

export interface ReadFeedRequest {
  readonly account: string
  /** A position, exclusive. */
  readonly after: number
  readonly limit: number
}

export interface ForgetFeedRequest {
  readonly account: string
  /** Milliseconds. */
  readonly now: number
  /** Milliseconds. */
  readonly before: number
  readonly limit: number
}

/** An event of one of the account's tasks. */
export interface FeedEntry {
  readonly account: string
  readonly position: number
  /** Of the event, in milliseconds. Within a feed it may fall. */
  readonly at: number
  readonly task: string
  /** An `EventType`, unless a later release wrote it. */
  readonly type: string
  readonly version: number
}

export interface ReadEntry extends FeedEntry {
  /**
   * The task as the event left it, in the projection of this release, with the event's hash: only if this
   * process wrote it a moment ago. Otherwise it is to be read.
   */
  readonly head?: StreamHead
}
