/**
 * Claims and what they hold beside tasks. A claim is known by the rows that name it: it needs none
 * of its own until it is renewed, and has no beats until then.
 */
import type { ClaimBeats, SlotRequest } from "@safelight/core"
import { sql, type Kysely } from "kysely"
import type { StoreDatabase } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"
import { toTurnOnceFree } from "./free-turn.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface ClaimStatements {
  /** Counts one renewal of `claim`. */
  readonly beat: Statement
  /** task: those of the list `tasks` that `claim` holds. */
  readonly findHeld: Statement
  /** claim, beats: every claim that holds a task or a slot, or was renewed. */
  readonly list: Statement
  /**
   * The check of a voiding: changes one row where `claim` has `beats`, and none otherwise. In the
   * same transaction `freeTasks`, `freeSlots` and `forget` follow it.
   */
  readonly void: Statement
  /** Frees what `claim` holds; of what was ever dispatched the turn is gone with it. */
  readonly freeTasks: Statement
  /** Frees what `claim` holds beside those of the list `tasks`, in the same way. */
  readonly freeOthers: Statement
  readonly freeSlots: Statement
  readonly forget: Statement
  /**
   * Has `claim` hold `count` of the `size` slots of `pool`, or what others leave; returns held. It
   * adds up the others first: a storage with several writers keeps those of one pool apart.
   */
  readonly hold: Statement
  /** held: the sum of what all claims hold of `pool`. */
  readonly sum: Statement
  /** Removes the row of a claim that holds no slot of `pool`; behind each `hold`. */
  readonly dropEmpty: Statement
  /** Ends every claim there is, in any order. */
  readonly endAll: readonly Statement[]
}

interface ClaimValues extends ClaimBeats {
  /** A list, in the form that the dialect's `toMembers` takes. */
  readonly tasks: string
}

const { claim, beats, tasks } = placeholders<ClaimValues>("claim", "beats", "tasks")
const SLOTS = placeholders<SlotRequest>("pool", "size", "claim", "count")

export function compileClaimStatements(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
): ClaimStatements {
  const free = db
    .updateTable("ready")
    .set((of) => ({ claim: of.lit(null), turn: toTurnOnceFree(of) }))
  return {
    ...compileBeats(db, dialect),
    void: compileVoid(db),
    freeTasks: compile(free.where("claim", "=", claim)),
    freeOthers: compile(
      free.where("claim", "=", claim).where("task", "not in", dialect.toMembers(tasks)),
    ),
    freeSlots: compile(db.deleteFrom("slots").where("claim", "=", claim)),
    forget: compile(db.deleteFrom("claims").where("claim", "=", claim)),
    ...compileSlots(db, dialect),
    endAll: [
      compile(free.where("claim", "is not", null)),
      compile(db.deleteFrom("slots")),
      compile(db.deleteFrom("claims")),
    ],
  }
}

function compileBeats(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
): Pick<ClaimStatements, "beat" | "findHeld" | "list"> {
  const known = db
    .selectFrom("ready")
    .select((of) => of.ref("claim").$notNull().as("claim"))
    .where("claim", "is not", null)
    .union(db.selectFrom("slots").select("claim").where("held", ">", sql.lit(0)))
    .union(db.selectFrom("claims").select("claim"))
  return {
    beat: compile(
      db
        .insertInto("claims")
        .values((of) => ({ claim, beats: of.lit(1) }))
        .onConflict((conflict) =>
          conflict
            .column("claim")
            .doUpdateSet((of) => ({ beats: of(of.ref("claims.beats"), "+", of.lit(1)) })),
        ),
    ),
    findHeld: compile(
      db
        .selectFrom("ready")
        .select("task")
        // Found by task: see `release` of the queue.
        .where("claim", "is not distinct from", claim)
        .where("task", "in", dialect.toMembers(tasks)),
    ),
    list: compile(
      db
        .selectFrom(known.as("known"))
        .leftJoin("claims", "claims.claim", "known.claim")
        .select((of) => ["known.claim", of.fn.coalesce("claims.beats", of.lit(0)).as("beats")]),
    ),
  }
}

/**
 * A claim that was never renewed gets a row here, so that a renewal at the same moment comes before
 * it, and stops it, or behind it. The count is compared where the row is changed: what was read
 * before may be old by then.
 */
function compileVoid(db: Kysely<StoreDatabase>): Statement {
  const renewed = db.selectFrom("claims").select("claim").where("claim", "=", claim)
  return compile(
    db
      .insertInto("claims")
      .columns(["claim", "beats"])
      .expression(
        db
          .selectNoFrom((of) => [of.val(claim).as("claim"), of.lit(0).as("beats")])
          .where((of) => of.or([of(of.val(beats), "=", of.lit(0)), of.exists(renewed)])),
      )
      .onConflict((conflict) =>
        conflict
          .column("claim")
          .doUpdateSet((of) => ({ beats: of.lit(0) }))
          .where("claims.beats", "=", beats),
      ),
  )
}

function compileSlots(
  db: Kysely<StoreDatabase>,
  { integerType }: StoreDialect,
): Pick<ClaimStatements, "hold" | "sum" | "dropEmpty"> {
  const { pool, size, claim: holder, count } = SLOTS
  const left = db
    .selectFrom("slots")
    .select((of) =>
      of(
        of.cast<number>(of.val(size), integerType),
        "-",
        of.cast<number>(of.fn.coalesce(of.fn.sum("held"), of.lit(0)), integerType),
      ).as("left"),
    )
    .where("pool", "=", pool)
    .where("claim", "<>", holder)
  const held = db
    .selectFrom(left.as("others"))
    .select((of) => [
      of.val(pool).as("pool"),
      of.val(holder).as("claim"),
      of
        .case()
        .when("others.left", "<", of.lit(0))
        .then(of.lit(0))
        .when("others.left", "<", count)
        .then(of.ref("others.left"))
        .else(of.cast<number>(of.val(count), integerType))
        .end()
        .as("held"),
    ])
    // Without a condition SQLite takes what follows for that of a join.
    .where((of) => of.lit(true))
  return {
    hold: compile(
      db
        .insertInto("slots")
        .columns(["pool", "claim", "held"])
        .expression(held)
        .onConflict((conflict) =>
          conflict
            .columns(["pool", "claim"])
            .doUpdateSet((of) => ({ held: of.ref("excluded.held") })),
        )
        .returning("held"),
    ),
    sum: compile(
      db
        .selectFrom("slots")
        .select((of) => of.fn.coalesce(of.fn.sum("held"), of.lit(0)).as("held"))
        .where("pool", "=", pool),
    ),
    dropEmpty: compile(
      db
        .deleteFrom("slots")
        .where("pool", "=", pool)
        .where("claim", "=", holder)
        .where("held", "=", sql.lit(0)),
    ),
  }
}
