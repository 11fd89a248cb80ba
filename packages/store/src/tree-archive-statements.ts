/** The statements of old parts of the tree. Of a range both ends are told, and the second is excluded. */
import type { ArchivedBundle } from "@safelight/core"
import { describeStatements } from "./sql/statement.ts"
import { TABLES } from "./sql/tables.ts"

export interface Range {
  readonly start: number
  readonly end: number
}

const MOVES = describeStatements(({ db, compile }) => ({
  /** How many are archived, which is the number of the next. */
  countBundles: compile(() =>
    db.selectFrom("treeBundles").select((of) => of.fn.countAll<number>().as("count")),
  ),
  findLastAt: compile(({ start, end }: Range) =>
    db
      .selectFrom("treeEntries")
      .select((of) => of.fn.max("lastAt").as("lastAt"))
      .where("position", ">=", start)
      .where("position", "<", end),
  ),
  listRuns: compile(({ start, end }: Range) =>
    db
      .selectFrom("treeEntries")
      .select(TABLES.treeEntries.members)
      .where("position", ">=", start)
      .where("position", "<", end)
      .orderBy("position"),
  ),
  listTiles: compile(({ start, end }: Range) =>
    db
      .selectFrom("treeTiles")
      .select(["position", "hashes"])
      .where((of) => of("level", "=", of.lit(0)))
      .where("position", ">=", start)
      .where("position", "<", end)
      .orderBy("position"),
  ),
  /** Adds no row unless all before it are there, and none that is there. */
  addBundle: compile((bundle: ArchivedBundle) =>
    db
      .insertInto("treeBundles")
      .columns(TABLES.treeBundles.members)
      .expression(
        db
          .selectNoFrom((of) =>
            TABLES.treeBundles.members.map((member) => of.val(bundle[member]).as(member)),
          )
          .where(
            (of) => of.selectFrom("treeBundles").select((count) => count.fn.countAll().as("count")),
            "=",
            bundle.id,
          ),
      )
      .onConflict((conflict) => conflict.column("id").doNothing()),
  ),
  dropTiles: compile(({ start, end }: Range) =>
    db
      .deleteFrom("treeTiles")
      .where((of) => of("level", "=", of.lit(0)))
      .where("position", ">=", start)
      .where("position", "<", end),
  ),
  dropRuns: compile(({ start, end }: Range) =>
    db.deleteFrom("treeEntries").where("position", ">=", start).where("position", "<", end),
  ),
}))

const READS = describeStatements(({ db, compile }) => ({
  listBundles: compile(() =>
    db.selectFrom("treeBundles").select(TABLES.treeBundles.members).orderBy("id"),
  ),
  findBundles: compile(({ start, end }: Range) =>
    db
      .selectFrom("treeBundles")
      .select(TABLES.treeBundles.members)
      .where("id", ">=", start)
      .where("id", "<", end)
      .orderBy("id"),
  ),
  findBundlesAround: compile(({ at }: { readonly at: number }) =>
    db
      .selectFrom("treeBundles")
      .select(TABLES.treeBundles.members)
      .where("firstAt", "<=", at)
      .where("lastAt", ">=", at)
      .orderBy("id"),
  ),
}))

export const TREE_ARCHIVE_STATEMENTS = describeStatements((compiler) => ({
  ...MOVES(compiler),
  ...READS(compiler),
}))
