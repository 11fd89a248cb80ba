/**
 * The tasks of all accounts, newest first, along their key: ids begin with the moment at which they were made. Status
 * and model are judged row by row, so a page of such a list ends at the latest with the last of `LISTED_TASKS`, its
 * floor (as in `lists.ts`).
 */
import type { AllTasksRequest, InsightStorage, TaskStatus } from "@safelight/core"
import type { ArchivedStreams } from "./archived-streams.ts"
import type { Connections } from "./sql/driver.ts"
import { LISTED_TASKS } from "./lists.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"

export interface AllBounds {
  /** Inclusive. */
  readonly fromTask: string
  /** Exclusive. */
  readonly belowTask: string
}

export interface AllPage extends AllBounds {
  readonly status: TaskStatus
  readonly model: string
  readonly limit: number
}

/** No UUID is above it. */
const ABOVE_ALL = "ffffffff-ffff-ffff-ffff-ffffffffffff"

export const ALL_TASKS_STATEMENTS = describeStatements(({ db, compile }) => {
  const compilePage = (hasStatus: boolean, hasModel: boolean) =>
    compile((page: AllPage) =>
      db
        .selectFrom("tasks")
        .select(["snapshot", "hash", "task"])
        .where("task", "<", page.belowTask)
        .where("task", ">=", page.fromTask)
        .$if(hasStatus, (query) => query.where("status", "=", page.status))
        .$if(hasModel, (query) => query.where("model", "=", page.model))
        .orderBy("task", "desc")
        .limit(page.limit),
    )
  return {
    /** The task behind `skipped` others, or no row. */
    findAllFloor: compile(({ belowTask, skipped }: { belowTask: string; skipped: number }) =>
      db
        .selectFrom("tasks")
        .select("task")
        .where("task", "<", belowTask)
        .orderBy("task", "desc")
        .limit((of) => of.lit(1))
        .offset(skipped),
    ),
    all: compilePage(false, false),
    allByStatus: compilePage(true, false),
    allByModel: compilePage(false, true),
    allByBoth: compilePage(true, true),
  }
})

export function createAllTasksMethod(
  { read }: Connections,
  compiler: Compiler,
  archived: ArchivedStreams,
): Pick<InsightStorage, "listAllTasks"> {
  const { findAllFloor, all, allByStatus, allByModel, allByBoth } = ALL_TASKS_STATEMENTS(compiler)

  async function findFloor(belowTask: string): Promise<string | undefined> {
    return (await read(findAllFloor, { belowTask, skipped: LISTED_TASKS - 1 }))[0]?.task
  }

  function choose({ model, status }: AllTasksRequest): typeof all {
    if (model === undefined) return status === undefined ? all : allByStatus
    return status === undefined ? allByModel : allByBoth
  }

  return {
    async listAllTasks(request) {
      const { after: belowTask = ABOVE_ALL, limit, model = "", status = "queued" } = request
      const statement = choose(request)
      const floor = statement === all ? undefined : await findFloor(belowTask)
      // One more than asked for shows whether there is another page.
      const page = { belowTask, fromTask: floor ?? "", limit: limit + 1, model, status }
      const rows = await read(statement, page)
      const shown = rows.slice(0, limit)
      return {
        tasks: await Promise.all(shown.map((row) => archived.openTask(row))),
        next: (rows.length > limit ? shown.at(-1)?.task : floor) ?? null,
      }
    },
  }
}
