/** The statements of the archive. */
import type { ArchivableRequest, ArchiveSegment } from "@safelight/core"
import { sql, type RawBuilder } from "kysely"
import { ARCHIVED_FROM } from "./archived-snapshot.ts"
import type { HeadRow } from "./archived-streams.ts"
import { describeStatements } from "./sql/statement.ts"
import { TABLES } from "./sql/tables.ts"
import type { OfTask } from "./reads.ts"

export interface Restored extends HeadRow {
  /** The snapshot of an archived task. */
  readonly pointer: string
}

export interface Moved {
  readonly segment: number
  readonly tasks: readonly string[]
  /** Hashes of their newest events. */
  readonly newest: readonly string[]
  readonly pointer: string
}

type Archivable = Omit<ArchivableRequest, "limit" | "below"> & { readonly last: string }

export interface NextTasks extends Pick<ArchivableRequest, "after" | "limit"> {
  readonly belowTask: string
}

export interface Begun {
  readonly at: number
  readonly since: number
  readonly until: number
}

/** Whether a row of `tasks` is that of a task which is not archived. */
export const IS_IN_DATABASE: RawBuilder<boolean> = sql`substr(snapshot, 1, ${sql.lit(ARCHIVED_FROM.length)}) <> ${sql.lit(ARCHIVED_FROM)}`

function isNotIn(table: "inputs" | "ready" | "retention"): RawBuilder<boolean> {
  const own = sql.ref(`${table}.task`)
  return sql`not exists (select 1 from ${sql.table(table)} where ${own} = tasks.task)`
}

const SEGMENTS = describeStatements(({ db, compile }) => ({
  /** The one that is being written, and was begun between two moments. */
  findBegun: compile(({ since, until }: Omit<Begun, "at">) =>
    db
      .selectFrom("archiveSegments")
      .select("id")
      .where("locator", "is", null)
      .where("at", ">", since)
      .where("at", "<", until),
  ),
  giveUpSegments: compile(({ since, until }: Omit<Begun, "at">) =>
    db
      .deleteFrom("archiveSegments")
      .where("locator", "is", null)
      .where((of) => of.or([of("at", "<=", since), of("at", ">=", until)])),
  ),
  /** Adds no row while another that was begun between those moments is being written. */
  beginSegment: compile(({ at, since, until }: Begun) =>
    db
      .insertInto("archiveSegments")
      .columns(["id", "at", "bytes", "taskCount", "eventCount"])
      .expression(
        db
          .selectFrom("archiveSegments")
          .select((of) => [
            sql<number>`coalesce(max(id), 0) + 1`.as("id"),
            of.val(at).as("at"),
            of.lit(0).as("bytes"),
            of.lit(0).as("taskCount"),
            of.lit(0).as("eventCount"),
          ])
          .having(
            sql<boolean>`not exists (
              select 1 from archive_segments where locator is null and at > ${since} and at < ${until}
            )`,
          ),
      ),
  ),
  /** Changes no row of one that is kept, or was given up. */
  keepSegment: compile(({ bytes, eventCount, id, locator, sha256, taskCount }: ArchiveSegment) =>
    db
      .updateTable("archiveSegments")
      .set({ bytes, eventCount, locator, sha256, taskCount })
      .where("id", "=", id)
      .where("locator", "is", null),
  ),
  listSegments: compile(() =>
    db
      .selectFrom("archiveSegments")
      .select(TABLES.archiveSegments.members)
      .where("locator", "<>", sql.lit(""))
      .orderBy("id"),
  ),
  /** Its row stays, so that its number is not given again. Changes no row of one that has tasks. */
  dropSegment: compile(({ id }: { readonly id: number }) =>
    db
      .updateTable("archiveSegments")
      .set({ locator: sql.lit("") })
      .where("id", "=", id)
      .where((of) => of("taskCount", "=", of.lit(0))),
  ),
}))

const READS = describeStatements(({ db, compile }) => ({
  /** The next tasks that are in the database: archived ones have no events. */
  listNext: compile(({ after, belowTask, limit }: NextTasks) =>
    db
      .selectFrom("events")
      .select("task")
      .where("task", ">", after)
      .where("task", "<", belowTask)
      .where((of) => of("version", "=", of.lit(1)))
      .orderBy("task")
      .limit(limit),
  ),
  listArchivable: compile(({ after, finishedBefore, last }: Archivable) =>
    db
      .selectFrom("events")
      .innerJoin("tasks", "tasks.task", "events.task")
      .select("events.task")
      .where("events.task", ">", after)
      .where("events.task", "<=", last)
      .where((of) => of("events.version", "=", of.lit(1)))
      .where((of) => of("tasks.finishedAt", ">", of.lit(0)))
      .where("tasks.finishedAt", "<", finishedBefore)
      .where(isNotIn("retention"))
      .where(isNotIn("ready"))
      .where(isNotIn("inputs"))
      .orderBy("events.task"),
  ),
  findRow: compile(({ task }: OfTask) =>
    db.selectFrom("tasks").select(["task", "hash", "snapshot"]).where("task", "=", task),
  ),
}))

const MOVES = describeStatements(({ db, compile, dialect, members }) => {
  return {
    /**
     * Counts those that the next statement will point there. It holds the segment's row until the end of the commit, so
     * that nobody drops the segment meanwhile.
     */
    countTasks: compile(({ newest, segment, tasks }: Moved) =>
      db
        .updateTable("archiveSegments")
        .set((of) => ({
          taskCount: of(
            "taskCount",
            "+",
            of
              .selectFrom("tasks")
              .select((count) => of.cast<number>(count.fn.countAll(), dialect.integerType).as("n"))
              .where("task", "in", members(tasks))
              .where("hash", "in", members(newest))
              .where(IS_IN_DATABASE),
          ),
        }))
        .where("id", "=", segment)
        .where("locator", "<>", sql.lit("")),
    ),
    /** Changes no row of a task that is archived, or at another event, and none if the segment was dropped. */
    pointTasks: compile(({ newest, pointer, segment, tasks }: Moved) =>
      db
        .updateTable("tasks")
        .set({ snapshot: pointer })
        .where("task", "in", members(tasks))
        .where("hash", "in", members(newest))
        .where(IS_IN_DATABASE)
        .where(
          sql<boolean>`exists (select 1 from archive_segments where id = ${segment} and locator <> '')`,
        ),
    ),
    /** Of tasks that are archived there: the statement before may have left some as they were. */
    dropEvents: compile(({ pointer, tasks }: Moved) =>
      db
        .deleteFrom("events")
        .where("task", "in", members(tasks))
        .where(
          sql<boolean>`exists (select 1 from tasks where tasks.task = events.task and snapshot = ${pointer})`,
        ),
    ),
  }
})

const RESTORES = describeStatements(({ db, compile }) => ({
  /** Changes no row of a task that is not archived there, or was at another event. */
  putBack: compile(({ hash, pointer, snapshot, task }: Restored) =>
    db
      .updateTable("tasks")
      .set({ snapshot })
      .where("task", "=", task)
      .where("hash", "=", hash)
      .where("snapshot", "=", pointer),
  ),
  takeFromSegment: compile(({ segment }: Pick<Moved, "segment">) =>
    db
      .updateTable("archiveSegments")
      .set((of) => ({ taskCount: of("taskCount", "-", of.lit(1)) }))
      .where("id", "=", segment),
  ),
}))

export const ARCHIVE_STATEMENTS = describeStatements((compiler) => ({
  ...SEGMENTS(compiler),
  ...READS(compiler),
  ...MOVES(compiler),
  ...RESTORES(compiler),
}))
