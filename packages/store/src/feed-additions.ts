/**
 * What an append adds to its account's feed, where a database takes statements one by one. The first step
 * locks the row of the feed until the commit; of an account without a feed none of them changes a row.
 */
import type { Append, FeedEntry } from "@safelight/core"
import { toStep, type Step } from "./sql/driver.ts"
import { describeStatements } from "./sql/statement.ts"

export const FEED_ADDITIONS = describeStatements(({ db, compile }) => ({
  /** Takes as many positions of the account's feed; changes no row of an account without one. */
  advanceFeed: compile(({ account, count }: { account: string; count: number }) =>
    db
      .updateTable("feeds")
      .set((of) => ({ position: of("position", "+", count) }))
      .where("account", "=", account),
  ),
  /** Adds the entry that stands `back` positions before the newest. */
  insertFeedEntry: compile(
    ({ account, at, back, task, type, version }: Omit<FeedEntry, "position"> & { back: number }) =>
      db
        .insertInto("feedEntries")
        .columns(["account", "position", "at", "task", "type", "version"])
        .expression(
          db
            .selectFrom("feeds")
            .where("account", "=", account)
            .select((of) => [
              "account",
              of("position", "-", back).as("position"),
              of.val(at).as("at"),
              of.val(task).as("task"),
              of.val(type).as("type"),
              of.val(version).as("version"),
            ]),
        ),
  ),
}))

export function toFeedSteps(
  statements: ReturnType<typeof FEED_ADDITIONS>,
  { changes, events }: Append,
): readonly Step[] {
  const { account } = changes.task
  const count = events.length
  const entries = events.map(({ at, task, type, version }, index) => {
    const back = count - 1 - index
    return toStep(statements.insertFeedEntry, { account, at, back, task, type, version })
  })
  return [toStep(statements.advanceFeed, { account, count }), ...entries]
}
