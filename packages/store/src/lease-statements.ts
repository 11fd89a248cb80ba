/**
 * Worker leases. One is registered by its first heartbeat; what a reader would get wrong is that tasks may be
 * held under one that is not, by a statement that arrived late: it is listed all the same, and expires.
 */
import { sql, type Kysely } from "kysely"
import type { LeasesTable, StoreDatabase } from "./database.ts"
import { toTagOnceFree } from "./free-tag.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface LeaseStatements {
  /** Registers or renews `lease`, unless it is known by as many `beats`. */
  readonly beat: Statement
  /** task: those that `lease` holds. */
  readonly findHeld: Statement
  /** The columns of a `LeaseRecord`: every lease that is registered or holds a task. */
  readonly list: Statement
  /**
   * The check of an expiry: changes one row if `lease` has `beats`, and none otherwise. In the same
   * transaction `freeTasks` and `forget` follow it.
   */
  readonly expire: Statement
  readonly freeTasks: Statement
  readonly forget: Statement
  /** Ends every lease there is, in any order. */
  readonly endAll: readonly Statement[]
}

const { lease, beats, facts } = placeholders<LeasesTable>("lease", "beats", "facts")

export function compileLeaseStatements(db: Kysely<StoreDatabase>): LeaseStatements {
  const free = db
    .updateTable("ready")
    .set((of) => ({ lease: of.lit(null), start_tag: toTagOnceFree(of) }))
  return {
    beat: compile(
      db
        .insertInto("leases")
        .values({ lease, beats, facts })
        .onConflict((conflict) =>
          conflict
            .column("lease")
            .doUpdateSet((of) => ({
              beats: of.ref("excluded.beats"),
              facts: of.ref("excluded.facts"),
            }))
            .whereRef("leases.beats", "<", "excluded.beats"),
        ),
    ),
    findHeld: compile(db.selectFrom("ready").select("task").where("lease", "=", lease)),
    list: compileList(db),
    expire: compileExpire(db),
    freeTasks: compile(free.where("lease", "=", lease)),
    forget: compile(db.deleteFrom("leases").where("lease", "=", lease)),
    endAll: [compile(free.where("lease", "is not", null)), compile(db.deleteFrom("leases"))],
  }
}

function compileList(db: Kysely<StoreDatabase>): Statement {
  const known = db
    .selectFrom("ready")
    .select((of) => of.ref("lease").$notNull().as("lease"))
    .where("lease", "is not", null)
    .union(db.selectFrom("leases").select("lease"))
  return compile(
    db
      .selectFrom(known.as("known"))
      .leftJoin("leases", "leases.lease", "known.lease")
      .select((of) => [
        "known.lease",
        of.fn.coalesce("leases.beats", of.lit(0)).as("beats"),
        "leases.facts",
      ]),
  )
}

/**
 * A lease that is not registered gets a row here, so that a heartbeat at the same moment comes before it, and
 * stops it, or behind it. The count is compared where the row is changed: what was read before may be
 * old by then.
 */
function compileExpire(db: Kysely<StoreDatabase>): Statement {
  const registered = db.selectFrom("leases").select("lease").where("lease", "=", lease)
  return compile(
    db
      .insertInto("leases")
      .columns(["lease", "beats", "facts"])
      .expression(
        db
          .selectNoFrom((of) => [
            of.val(lease).as("lease"),
            of.lit(0).as("beats"),
            sql.lit("").$castTo<string>().as("facts"),
          ])
          .where((of) => of.or([of(of.val(beats), "=", of.lit(0)), of.exists(registered)])),
      )
      .onConflict((conflict) =>
        conflict
          .column("lease")
          .doUpdateSet((of) => ({ beats: of.lit(0) }))
          .where("leases.beats", "=", beats),
      ),
  )
}
