/**
 * The list of an account's tasks, newest first. Every bound of it, by time or by page, is one of two
 * positions in the index `tasks_listed`; status and model are looked up in the rows between them,
 * and a list with such a filter is bounded by `findListFloor` first.
 */
import type { ListRequest } from "@safelight/core"
import type { Kysely } from "kysely"
import type { StoreDatabase } from "./database.ts"
import { compile, placeholders, type SqlValues, type Statement } from "./statement.ts"

/** Which filters a list has: each set of them is a statement of its own. */
export interface ListFilters {
  readonly hasStatus: boolean
  readonly hasModel: boolean
}

export interface ListStatements {
  /** created_at and id of the task behind `skipped` others between the bounds, or no row. */
  readonly findListFloor: Statement
  /** snapshot, created_at, id; newest first. */
  readonly findTasks: (filters: ListFilters) => Statement
}

interface ListValues {
  readonly account: string
  /** Inclusive. */
  readonly from_created_at: number
  readonly from_id: string
  /** Exclusive. */
  readonly below_created_at: number
  readonly below_id: string
  readonly status: string
  readonly model: string
  readonly limit: number
  readonly skipped: number
}

const PLACES = placeholders<ListValues>(
  "account",
  "from_created_at",
  "from_id",
  "below_created_at",
  "below_id",
  "status",
  "model",
  "limit",
  "skipped",
)

export function compileListStatements(db: Kysely<StoreDatabase>): ListStatements {
  const { account, status, model, limit, skipped, ...bounds } = PLACES
  const listed = db
    .selectFrom("tasks")
    .where("account", "=", account)
    .where((of) =>
      of(of.refTuple("created_at", "id"), ">=", of.tuple(bounds.from_created_at, bounds.from_id)),
    )
    .where((of) =>
      of(of.refTuple("created_at", "id"), "<", of.tuple(bounds.below_created_at, bounds.below_id)),
    )
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
  const compileFind = ({ hasStatus, hasModel }: ListFilters): Statement =>
    compile(
      listed
        .select(["snapshot", "created_at", "id"])
        .$if(hasStatus, (query) => query.where("status", "=", status))
        .$if(hasModel, (query) => query.where("model", "=", model))
        .limit(limit),
    )
  const plain = compileFind({ hasStatus: false, hasModel: false })
  const byStatus = compileFind({ hasStatus: true, hasModel: false })
  const byModel = compileFind({ hasStatus: false, hasModel: true })
  const byBoth = compileFind({ hasStatus: true, hasModel: true })
  return {
    findListFloor: compile(
      listed
        .select(["created_at", "id"])
        .limit((of) => of.lit(1))
        .offset(skipped),
    ),
    findTasks({ hasStatus, hasModel }) {
      if (hasStatus) return hasModel ? byBoth : byStatus
      return hasModel ? byModel : plain
    },
  }
}

/** A request's values; `skipped`, and the bound that comes of it, are the caller's to add. */
export function toListValues(request: ListRequest): SqlValues {
  const { account, createdAfter = 0, createdBefore = Number.MAX_SAFE_INTEGER, after } = request
  // No id is empty: the position before the first id of a moment is the moment itself.
  const isAfterFirst = after !== undefined && after.createdAt < createdBefore
  const below = isAfterFirst ? after : { createdAt: createdBefore, id: "" }
  return {
    account,
    from_created_at: createdAfter,
    from_id: "",
    below_created_at: below.createdAt,
    below_id: below.id,
    status: request.status ?? "",
    model: request.model ?? "",
    limit: request.limit,
  }
}
