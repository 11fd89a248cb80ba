/**
 * The list of an account's tasks, newest first. Every bound of it, by time or by page, is one of two
 * positions in the index `tasks_listed`; status and model are looked up in the rows between them. A list
 * with such a filter has to read rows to judge them, so a page of it ends at the latest with the last of
 * `LISTED_TASKS`: that one, the floor, is found along the index first.
 */
import { fromSnapshot, type ListRequest, type Storage, type TaskStatus } from "@safelight/core"
import type { Connections } from "./driver.ts"
import { describeStatements, type Compiler } from "./statement.ts"

/** Tasks that one page of a filtered list looks at: about 1 ms of SQLite's thread. */
const LISTED_TASKS = 1_000

export interface Bounds {
  readonly account: string
  /** Inclusive. */
  readonly fromCreatedAt: number
  readonly fromTask: string
  /** Exclusive. */
  readonly belowCreatedAt: number
  readonly belowTask: string
}

export interface Page extends Bounds {
  readonly status: TaskStatus
  readonly model: string
  readonly limit: number
}

export const LIST_STATEMENTS = describeStatements(({ db, compile }) => {
  const select = (bounds: Bounds) =>
    db
      .selectFrom("tasks")
      .where("account", "=", bounds.account)
      .where((of) =>
        of(of.refTuple("createdAt", "task"), ">=", of.tuple(bounds.fromCreatedAt, bounds.fromTask)),
      )
      .where((of) =>
        of(
          of.refTuple("createdAt", "task"),
          "<",
          of.tuple(bounds.belowCreatedAt, bounds.belowTask),
        ),
      )
      .orderBy("createdAt", "desc")
      .orderBy("task", "desc")
  const compileFind = (hasStatus: boolean, hasModel: boolean) =>
    compile((page: Page) =>
      select(page)
        .select(["snapshot", "createdAt", "task"])
        .$if(hasStatus, (query) => query.where("status", "=", page.status))
        .$if(hasModel, (query) => query.where("model", "=", page.model))
        .limit(page.limit),
    )
  return {
    /** The task behind `skipped` others between the bounds, or no row. */
    findListFloor: compile((bounds: Bounds & { readonly skipped: number }) =>
      select(bounds)
        .select(["createdAt", "task"])
        .limit((of) => of.lit(1))
        .offset(bounds.skipped),
    ),
    listed: compileFind(false, false),
    listedByStatus: compileFind(true, false),
    listedByModel: compileFind(false, true),
    listedByBoth: compileFind(true, true),
  }
})

export function createListMethod(
  { read }: Connections,
  compiler: Compiler,
): Pick<Storage, "listTasks"> {
  const statements = LIST_STATEMENTS(compiler)
  return {
    async listTasks({ status, model, limit, ...request }) {
      const bounds = toBounds(request)
      const isFiltered = status !== undefined || model !== undefined
      const [floor] = isFiltered
        ? await read(statements.findListFloor, { ...bounds, skipped: LISTED_TASKS - 1 })
        : []
      const [byNone, byStatus, byModel, byBoth] = [
        statements.listed,
        statements.listedByStatus,
        statements.listedByModel,
        statements.listedByBoth,
      ]
      const ofStatus = model === undefined ? byStatus : byBoth
      const ofAny = model === undefined ? byNone : byModel
      const rows = await read(status === undefined ? ofAny : ofStatus, {
        ...bounds,
        ...(floor && { fromCreatedAt: floor.createdAt, fromTask: floor.task }),
        status: status ?? "queued",
        model: model ?? "",
        // One more than asked for shows whether there is another page.
        limit: limit + 1,
      })
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : floor
      return {
        tasks: shown.map(({ snapshot }) => fromSnapshot(snapshot)),
        next: last === undefined ? null : { createdAt: last.createdAt, id: last.task },
      }
    },
  }
}

function toBounds(request: Omit<ListRequest, "limit" | "status" | "model">): Bounds {
  const { account, createdAfter = 0, createdBefore = Number.MAX_SAFE_INTEGER, after } = request
  // No id is empty: the position before the first id of a moment is the moment itself.
  const isAfterFirst = after !== undefined && after.createdAt < createdBefore
  const below = isAfterFirst ? after : { createdAt: createdBefore, id: "" }
  return {
    account,
    fromCreatedAt: createdAfter,
    fromTask: "",
    belowCreatedAt: below.createdAt,
    belowTask: below.id,
  }
}
