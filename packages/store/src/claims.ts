/**
 * Claims and what they hold beside tasks. A claim is known by the rows that name it: it needs none
 * of its own until it is renewed, and has no beats until then. Voiding is one guarded change: whether the
 * beats still are what they were is judged in the commit that frees the tasks.
 */
import type { ClaimBeats, QueueStorage, SlotRequest } from "@safelight/core"
import { sql } from "kysely"
import { rowsOf, toStep, type Connections } from "./driver.ts"
import { toTurnOnceFree } from "./free-turn.ts"
import { describeStatements, type Compiler } from "./statement.ts"

export interface OfClaim {
  readonly claim: string
}

export interface Held extends OfClaim {
  readonly tasks: readonly string[]
}

const BEATS = describeStatements(({ db, compile, members }) => ({
  /** Counts one renewal of `claim`. */
  beat: compile(({ claim }: OfClaim) =>
    db
      .insertInto("claims")
      .values((of) => ({ claim, beats: of.lit(1) }))
      .onConflict((conflict) =>
        conflict
          .column("claim")
          .doUpdateSet((of) => ({ beats: of(of.ref("claims.beats"), "+", of.lit(1)) })),
      ),
  ),
  /** Those of `tasks` that `claim` holds. */
  findHeld: compile(({ claim, tasks }: Held) =>
    db
      .selectFrom("ready")
      .select("task")
      // Found by task: see `release` of the queue.
      .where("claim", "is not distinct from", claim)
      .where("task", "in", members(tasks)),
  ),
  /** Every claim that holds a task or a slot, or was renewed. */
  listClaims: compile(() => {
    const known = db
      .selectFrom("ready")
      .select((of) => of.ref("claim").$notNull().as("claim"))
      .where("claim", "is not", null)
      .union(db.selectFrom("slots").select("claim").where("held", ">", sql.lit(0)))
      .union(db.selectFrom("claims").select("claim"))
    return db
      .selectFrom(known.as("known"))
      .leftJoin("claims", "claims.claim", "known.claim")
      .select((of) => ["known.claim", of.fn.coalesce("claims.beats", of.lit(0)).as("beats")])
  }),
  /**
   * Changes one row where `claim` has `beats`, and none otherwise. A claim that was never renewed gets a
   * row here, so that a renewal at the same moment comes before it, and stops it, or behind it. The
   * count is compared where the row is changed: what was read before may be old by then.
   */
  voidClaim: compile(({ claim, beats }: ClaimBeats) => {
    const renewed = db.selectFrom("claims").select("claim").where("claim", "=", claim)
    return db
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
      )
  }),
}))

const ENDS = describeStatements(({ db, compile, members }) => {
  const free = db
    .updateTable("ready")
    .set((of) => ({ claim: of.lit(null), turn: toTurnOnceFree(of) }))
  return {
    /** Frees what `claim` holds; of what was ever dispatched the turn is gone with it. */
    freeTasks: compile(({ claim }: OfClaim) => free.where("claim", "=", claim)),
    /** Frees what `claim` holds beside those of `tasks`, in the same way. */
    freeOthers: compile(({ claim, tasks }: Held) =>
      free.where("claim", "=", claim).where("task", "not in", members(tasks)),
    ),
    freeSlots: compile(({ claim }: OfClaim) => db.deleteFrom("slots").where("claim", "=", claim)),
    forget: compile(({ claim }: OfClaim) => db.deleteFrom("claims").where("claim", "=", claim)),
    freeEveryTask: compile(() => free.where("claim", "is not", null)),
    freeEverySlot: compile(() => db.deleteFrom("slots")),
    forgetAll: compile(() => db.deleteFrom("claims")),
  }
})

const SLOTS = describeStatements(({ db, compile, dialect: { integerType } }) => ({
  /** Has `claim` hold `count` of the `size` slots of `pool`, or what others leave; returns held. */
  hold: compile(({ pool, size, claim: holder, count }: SlotRequest) => {
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
    return db
      .insertInto("slots")
      .columns(["pool", "claim", "held"])
      .expression(held)
      .onConflict((conflict) =>
        conflict
          .columns(["pool", "claim"])
          .doUpdateSet((of) => ({ held: of.ref("excluded.held") })),
      )
      .returning("held")
  }),
  /** What all claims hold of `pool`. */
  sumSlots: compile(({ pool }: { pool: string }) =>
    db
      .selectFrom("slots")
      .select((of) =>
        of.cast<number>(of.fn.coalesce(of.fn.sum("held"), of.lit(0)), integerType).as("held"),
      )
      .where("pool", "=", pool),
  ),
  /** Removes the row of a claim that holds no slot of `pool`; behind each `hold`. */
  dropEmpty: compile(({ pool, claim }: OfClaim & { pool: string }) =>
    db
      .deleteFrom("slots")
      .where("pool", "=", pool)
      .where("claim", "=", claim)
      .where("held", "=", sql.lit(0)),
  ),
}))

export const CLAIM_STATEMENTS = describeStatements((compiler) => ({
  ...BEATS(compiler),
  ...ENDS(compiler),
  ...SLOTS(compiler),
}))

export type ClaimMethods = Pick<
  QueueStorage,
  "renew" | "listClaims" | "voidClaim" | "freeOthers" | "holdSlots" | "countSlots"
>

/** `onFreed`: tasks are anybody's again. */
export function createClaimMethods(
  { read, commit }: Connections,
  compiler: Compiler,
  onFreed: () => void,
): ClaimMethods {
  const statements = CLAIM_STATEMENTS(compiler)
  return {
    async renew({ claim, tasks }) {
      await commit({ steps: [toStep(statements.beat, { claim })] })
      const held = await read(statements.findHeld, { claim, tasks })
      return held.map(({ task }) => task)
    },
    listClaims: () => read(statements.listClaims, {}),
    async voidClaim({ claim, beats }) {
      const outcome = await commit({
        steps: [
          toStep(statements.voidClaim, { claim, beats }),
          toStep(statements.freeTasks, { claim }),
          toStep(statements.freeSlots, { claim }),
          toStep(statements.forget, { claim }),
        ],
        isGuarded: true,
      })
      return outcome === true
    },
    async freeOthers({ claim, tasks }) {
      await commit({ steps: [toStep(statements.freeOthers, { claim, tasks })] })
      onFreed()
    },
    async holdSlots(request) {
      const { pool, claim } = request
      const steps = [
        toStep(statements.hold, request),
        toStep(statements.dropEmpty, { pool, claim }),
      ]
      // Slots of one pool are added up by one at a time.
      const outcome = await commit({ steps, alone: "slots" })
      return rowsOf(statements.hold, outcome, 0)[0]?.held ?? 0
    },
    async countSlots(pool) {
      return (await read(statements.sumSlots, { pool }))[0]?.held ?? 0
    },
  }
}
