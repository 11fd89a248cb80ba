/**
 * Feeds. The row of a feed is locked from the moment an append takes positions until it commits, so that
 * positions are in the order of commits. A feed is begun while no append is under way that has not seen it.
 */
import { randomUUID } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import { KEPT_FOREVER, type Feed, type FeedStorage } from "@safelight/core"
import { countOf, toStep, type Database } from "./sql/driver.ts"
import type { FeedWatch } from "./feed-watch.ts"
import { createGatheredRead } from "./gathered-read.ts"
import type { RecentTasks } from "./recent-tasks.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { allOf, TABLES } from "./sql/tables.ts"

export interface Kept {
  readonly account: string
  readonly until: number
}

export interface EntriesAfter {
  readonly account: string
  /** A position. */
  readonly passed: number
  readonly limit: number
}

export interface Old {
  readonly account: string
  readonly before: number
  readonly limit: number
}

const FEEDS = describeStatements(({ db, compile, members }) => ({
  /** Changes no row if the account has a feed. */
  insertFeed: compile((feed: Feed) =>
    db
      .insertInto("feeds")
      .values(allOf(TABLES.feeds, feed))
      .onConflict((conflict) => conflict.column("account").doNothing()),
  ),
  findFeeds: compile(({ accounts }: { readonly accounts: readonly string[] }) =>
    db.selectFrom("feeds").select(TABLES.feeds.members).where("account", "in", members(accounts)),
  ),
  listFeeds: compile(() => db.selectFrom("feeds").select(TABLES.feeds.members).orderBy("account")),
  prolongFeed: compile(({ account, until }: Kept) =>
    db
      .updateTable("feeds")
      .set({ keptUntil: until })
      .where("account", "=", account)
      .where("keptUntil", "<", until),
  ),
  limitFeed: compile(({ account, until }: Kept) =>
    db
      .updateTable("feeds")
      .set({ keptUntil: until })
      .where("account", "=", account)
      .where("keptUntil", ">", until),
  ),
  readFeed: compile(({ account, passed, limit }: EntriesAfter) =>
    db
      .selectFrom("feedEntries")
      .select(TABLES.feedEntries.members)
      .where("account", "=", account)
      .where("position", ">", passed)
      .orderBy("position")
      .limit(limit),
  ),
}))

const ENDS = describeStatements(({ db, compile }) => ({
  /** The feed of an account that is not kept at `now`. */
  endFeed: compile(({ account, now }: { account: string; now: number }) =>
    db.deleteFrom("feeds").where("account", "=", account).where("keptUntil", "<", now),
  ),
  /** Up to `limit` of the oldest entries; none that is still to be spread, and never the newest old one. */
  forgetEntries: compile(({ account, before, limit }: Old) => {
    const passed = db
      .selectFrom("feeds")
      .where("feeds.account", "=", account)
      .select((of) =>
        of
          .case()
          .when("keptUntil", "=", of.lit(KEPT_FOREVER))
          .then(of.ref("spreadTo"))
          .else(of.ref("position"))
          .end()
          .as("passed"),
      )
    const newest = db
      .selectFrom("feedEntries as old")
      .where("old.account", "=", account)
      .where("old.at", "<", before)
      .select(({ fn }) => fn.max("old.position").as("newest"))
    const oldest = db
      .selectFrom("feedEntries")
      .select("position")
      .where("account", "=", account)
      .where("at", "<", before)
      .where("position", "<=", passed)
      .where("position", "<", newest)
      .orderBy("position")
      .limit(limit)
    return db
      .deleteFrom("feedEntries")
      .where("account", "=", account)
      .where("position", "in", oldest)
  }),
  dropEntries: compile(({ account }: { account: string }) =>
    db.deleteFrom("feedEntries").where("account", "=", account),
  ),
}))

export const FEED_STATEMENTS = describeStatements((compiler) => ({
  ...FEEDS(compiler),
  ...ENDS(compiler),
}))

type FeedMethods = Omit<FeedStorage, "onFed">

export interface FeedNeeds {
  readonly watch: FeedWatch
  readonly recent: Pick<RecentTasks, "addTo">
}

export function createFeedMethods(
  { read, commit }: Database,
  compiler: Compiler,
  { watch, recent }: FeedNeeds,
): FeedMethods {
  const statements = FEED_STATEMENTS(compiler)

  const findFeed = createGatheredRead<Feed>(async (accounts) => {
    const feeds = await read(statements.findFeeds, { accounts })
    return new Map(feeds.map((feed) => [feed.account, () => feed]))
  })

  return {
    findFeed,
    async openFeed({ account, until }) {
      for (;;) {
        const known = await findFeed(account)
        if (known !== undefined && known.keptUntil >= until) {
          watch.noteFound(account)
          return known
        }
        if (known === undefined) {
          const feed = { account, id: randomUUID(), keptUntil: until, position: 0, spreadTo: 0 }
          await commit({ steps: [toStep(statements.insertFeed, feed)], alone: "feeds" })
          watch.noteOpened(account)
        } else await commit({ steps: [toStep(statements.prolongFeed, { account, until })] })
      }
    },
    async limitFeed(request) {
      await commit({ steps: [toStep(statements.limitFeed, request)] })
    },
    listFeeds: () => watch.list(() => read(statements.listFeeds, {})),
    async readFeed({ account, after: passed, limit }) {
      const entries = await read(statements.readFeed, { account, passed, limit })
      // Of commits just made the replies, and with them their tasks, may be on their way still.
      if (entries.length > 0) await nextTurn()
      return entries.map(recent.addTo)
    },
    async forgetFeed({ account, now, before, limit }) {
      const feed = await findFeed(account)
      if (feed === undefined) return 0
      const isOver = feed.keptUntil < now
      const old = { account, before: isOver ? now : before, limit }
      const count = countOf(await commit({ steps: [toStep(statements.forgetEntries, old)] }), 0)
      if (isOver && count < limit) {
        const steps = [
          toStep(statements.endFeed, { account, now }),
          toStep(statements.dropEntries, { account }),
        ]
        await commit({ steps, isGuarded: true })
      }
      return count
    },
  }
}
