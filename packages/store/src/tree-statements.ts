/** The statements of the tree over the log. */
import type { KeptCheckpoint, LeafRun, TreeHead } from "@safelight/core"
import { sql } from "kysely"
import { describeStatements } from "./sql/statement.ts"
import { allOf, TABLES } from "./sql/tables.ts"
import type { TreeTileRow } from "./sql/tree-tables.ts"

/** Tasks past `after`, whose notes are numbered from `base` on. */
export interface Page {
  readonly after: string
  readonly base: number
}

/** Where noting stands, as a page is to find it. */
export interface Noted {
  readonly after: string
  readonly page: number
}

/** Both are included. */
export interface NoteRange {
  readonly firstNote: number
  readonly lastNote: number
}

const OPENING = describeStatements(({ db, compile }) => ({
  /** Changes no row if there is a tree. */
  beginTree: compile(({ root, task }: { readonly root: string; readonly task: string }) =>
    db
      .insertInto("tree")
      .values((of) => ({
        id: of.lit(1),
        doubledTo: of.lit(0),
        notedPages: of.lit(0),
        notedTo: task,
        root,
        size: of.lit(0),
      }))
      .onConflict((conflict) => conflict.column("id").doNothing()),
  ),
  /** The row below which none is numbered by itself. */
  floorNotes: compile(() =>
    db
      .insertInto("unsequencedEvents")
      .values({ id: sql.lit(0), events: sql.lit("[]") })
      .onConflict((conflict) => conflict.column("id").doNothing()),
  ),
  readNoted: compile(() => db.selectFrom("tree").select(["notedPages", "notedTo"])),
  listTasks: compile(({ after, limit }: { after: string; limit: number }) =>
    db.selectFrom("tasks").select("task").where("task", ">", after).orderBy("task").limit(limit),
  ),
  passPage: compile(({ after, last, page }: Noted & { readonly last: string }) =>
    db
      .updateTable("tree")
      .set((of) => ({ notedTo: last, notedPages: of("notedPages", "+", of.lit(1)) }))
      .where("notedTo", "=", after)
      .where("notedPages", "=", page),
  ),
  passEnd: compile(({ after, page }: Noted) =>
    db
      .updateTable("tree")
      .set((of) => ({ notedTo: of.lit(null) }))
      .where("notedTo", "=", after)
      .where("notedPages", "=", page),
  ),
  /** Comes behind every page: whatever event a page found, its own note has no larger number. */
  boundDoubled: compile(() =>
    db.updateTable("tree").set((of) => ({
      doubledTo: of
        .selectFrom("unsequencedEvents as notes")
        .select((notes) => notes.fn.max("notes.id").as("doubledTo")),
    })),
  ),
}))

const NOTING = describeStatements(({ db, compile, dialect }) => {
  /** A note for each task, numbered from `base` on in their order. */
  const noteTasks = ({ after, base }: Page, last?: string) => {
    const past = db.selectFrom("events").where("task", ">", after)
    const events = last === undefined ? past : past.where("task", "<=", last)
    return db
      .insertInto("unsequencedEvents")
      .columns(["id", "events"])
      .expression(
        events.groupBy("task").select((of) => {
          const number = of.fn.agg<number>("row_number").over((over) => over.orderBy("task"))
          return [of(number, "+", base).as("id"), dialect.toNote.as("events")]
        }),
      )
  }
  return {
    noteTasks: compile((page: Page & { readonly last: string }) => noteTasks(page, page.last)),
    noteRest: compile((page: Page) => noteTasks(page)),
  }
})

const SEQUENCING = describeStatements(({ db, compile, dialect }) => ({
  readTree: compile(() =>
    db.selectFrom("tree").select(["size", "root"]).where("notedTo", "is", null),
  ),
  /** None before the tree is open. */
  listNotes: compile(({ above, limit }: { readonly above: number; readonly limit: number }) =>
    db
      .selectFrom("unsequencedEvents")
      .innerJoin("tree", (join) => join.on("tree.notedTo", "is", null))
      .where("unsequencedEvents.id", ">", above)
      .where((of) => of("unsequencedEvents.id", "<>", of.lit(0)))
      .select(["unsequencedEvents.id", "unsequencedEvents.events", "tree.doubledTo"])
      .orderBy("unsequencedEvents.id")
      .limit(limit),
  ),
  countNoted: compile(() =>
    db
      .selectFrom("unsequencedEvents")
      .innerJoin("tree", (join) => join.on("tree.notedTo", "is", null))
      .where((of) => of("unsequencedEvents.id", "<>", of.lit(0)))
      .select((of) =>
        of.fn.coalesce(of.fn.sum<number>(dialect.noteLength), of.lit(0)).as("unsequenced"),
      ),
  ),
  moveTree: compile(
    ({ fromRoot, fromSize, root, size }: TreeHead & { fromRoot: string; fromSize: number }) =>
      db
        .updateTable("tree")
        .set({ root, size })
        .where("notedTo", "is", null)
        .where("size", "=", fromSize)
        .where("root", "=", fromRoot),
  ),
  insertEntries: compile((row: LeafRun) =>
    db.insertInto("treeEntries").values(allOf(TABLES.treeEntries, row)),
  ),
  keepTile: compile((row: TreeTileRow) =>
    db
      .insertInto("treeTiles")
      .values(allOf(TABLES.treeTiles, row))
      .onConflict((conflict) =>
        conflict.columns(["level", "position"]).doUpdateSet({ hashes: row.hashes }),
      ),
  ),
  dropNotes: compile(({ firstNote, lastNote }: NoteRange) =>
    db.deleteFrom("unsequencedEvents").where("id", ">=", firstNote).where("id", "<=", lastNote),
  ),
}))

/** Rows whose events are of around a moment, past the last that was read. */
export interface Around {
  readonly at: number
  readonly lastAt: number
  readonly position: number
  readonly limit: number
}

const READING = describeStatements(({ db, compile }) => ({
  findTile: compile(({ level, position }: Omit<TreeTileRow, "hashes">) =>
    db
      .selectFrom("treeTiles")
      .select("hashes")
      .where("level", "=", level)
      .where("position", "=", position),
  ),
  listVersions: compile(({ task }: { readonly task: string }) =>
    db
      .selectFrom("events")
      .select(["version", "at", "hash"])
      .where("task", "=", task)
      .orderBy("version"),
  ),
  /** Those that end first come first: they are nearly always the ones. */
  listAround: compile(({ at, lastAt, limit, position }: Around) =>
    db
      .selectFrom("treeEntries")
      .select(TABLES.treeEntries.members)
      .where((of) => of(of.refTuple("lastAt", "position"), ">", of.tuple(lastAt, position)))
      .where("firstAt", "<=", at)
      .orderBy("lastAt")
      .orderBy("position")
      .limit(limit),
  ),
  listEntries: compile(({ above, below }: { readonly above: number; readonly below: number }) =>
    db
      .selectFrom("treeEntries")
      .select(["position", "entries"])
      .where("position", ">", above)
      .where("position", "<", below)
      .orderBy("position"),
  ),
  keepCheckpoint: compile((checkpoint: KeptCheckpoint) =>
    db
      .insertInto("checkpoints")
      .values(allOf(TABLES.checkpoints, checkpoint))
      .onConflict((conflict) => conflict.column("size").doNothing()),
  ),
  findCheckpoint: compile(({ mostSize, limit }: { mostSize: number; limit: number }) =>
    db
      .selectFrom("checkpoints")
      .select(TABLES.checkpoints.members)
      .where("size", "<=", mostSize)
      .orderBy("size", "desc")
      .limit(limit),
  ),
}))

export const TREE_STATEMENTS = describeStatements((compiler) => ({
  ...OPENING(compiler),
  ...NOTING(compiler),
  ...SEQUENCING(compiler),
  ...READING(compiler),
}))
