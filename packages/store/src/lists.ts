/**
 * The list of an account's tasks, newest first. Every bound of it, by time or by page, is one of two
 * positions in an index: `tasks_listed`, or the key of `labels`, which has the tasks with a label in the same
 * order. Status, model and further labels are looked up for the tasks between them. A list with such a
 * filter has to read rows to judge them, so a page of it ends at the latest with the last of
 * `LISTED_TASKS`: that one, the floor, is found along the index first.
 */
import type { ListRequest, Storage, TaskStatus } from "@safelight/core"
import type { ArchivedStreams } from "./archived-streams.ts"
import type { Connections } from "./sql/driver.ts"
import { hasOthers, toWantedLabels, type WantedLabels } from "./labels.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"

/** Tasks that one page of a filtered list reads: about 1 ms of SQLite's thread. */
export const LISTED_TASKS = 1_000

export interface Bounds {
  readonly account: string
  /** Inclusive. */
  readonly fromCreatedAt: number
  readonly fromTask: string
  /** Exclusive. */
  readonly belowCreatedAt: number
  readonly belowTask: string
}

export interface Floor {
  readonly skipped: number
}

export interface Page extends Bounds {
  readonly status: TaskStatus
  readonly model: string
  readonly limit: number
}

export type LabelledPage = Page & WantedLabels

const UNLABELLED = describeStatements(({ db, compile }) => {
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
        .select(["snapshot", "hash", "createdAt", "task"])
        .$if(hasStatus, (query) => query.where("status", "=", page.status))
        .$if(hasModel, (query) => query.where("model", "=", page.model))
        .limit(page.limit),
    )
  return {
    /** The task behind `skipped` others between the bounds, or no row. */
    findListFloor: compile((bounds: Bounds & Floor) =>
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

/** The same of tasks with labels. */
const LABELLED = describeStatements((compiler) => {
  const { db, compile } = compiler
  const select = (bounds: Bounds & Pick<WantedLabels, "label">) =>
    db
      .selectFrom("labels")
      .where("labels.account", "=", bounds.account)
      .where("labels.label", "=", bounds.label)
      .where((of) =>
        of(
          of.refTuple("labels.createdAt", "labels.task"),
          ">=",
          of.tuple(bounds.fromCreatedAt, bounds.fromTask),
        ),
      )
      .where((of) =>
        of(
          of.refTuple("labels.createdAt", "labels.task"),
          "<",
          of.tuple(bounds.belowCreatedAt, bounds.belowTask),
        ),
      )
      .orderBy("labels.createdAt", "desc")
      .orderBy("labels.task", "desc")
  const compileFind = (hasStatus: boolean, hasModel: boolean) =>
    compile((page: LabelledPage) =>
      select(page)
        .where(hasOthers(compiler, page))
        // A cross join has SQLite begin with the labels.
        .crossJoin("tasks")
        .whereRef("tasks.task", "=", "labels.task")
        .select(["tasks.snapshot", "tasks.hash", "labels.createdAt", "labels.task"])
        .$if(hasStatus, (query) => query.where("tasks.status", "=", page.status))
        .$if(hasModel, (query) => query.where("tasks.model", "=", page.model))
        .limit(page.limit),
    )
  return {
    findLabelledFloor: compile((bounds: Bounds & Floor & Pick<WantedLabels, "label">) =>
      select(bounds)
        .select(["labels.createdAt", "labels.task"])
        .limit((of) => of.lit(1))
        .offset(bounds.skipped),
    ),
    labelled: compileFind(false, false),
    labelledByStatus: compileFind(true, false),
    labelledByModel: compileFind(false, true),
    labelledByBoth: compileFind(true, true),
  }
})

export const LIST_STATEMENTS = describeStatements((compiler) => ({
  ...UNLABELLED(compiler),
  ...LABELLED(compiler),
}))

interface ListedRow {
  readonly hash: string
  readonly snapshot: string
  readonly createdAt: number
  readonly task: string
}

export function createListMethod(
  { read }: Connections,
  compiler: Compiler,
  archived: ArchivedStreams,
): Pick<Storage, "listTasks"> {
  const of = LIST_STATEMENTS(compiler)
  const { listed, listedByStatus, listedByModel, listedByBoth } = of
  const { labelled, labelledByStatus, labelledByModel, labelledByBoth } = of

  async function findFloor(
    bounds: Bounds,
    wanted: WantedLabels | undefined,
  ): Promise<Omit<ListedRow, "hash" | "snapshot"> | undefined> {
    const request = { ...bounds, skipped: LISTED_TASKS - 1 }
    if (wanted === undefined) return (await read(of.findListFloor, request))[0]
    return (await read(of.findLabelledFloor, { ...request, label: wanted.label }))[0]
  }

  return {
    async listTasks({ status, model, limit, labels, ...request }) {
      const bounds = toBounds(request)
      const wanted = toWantedLabels(labels)
      const hasFilter = status !== undefined || model !== undefined
      const isFiltered = hasFilter || (wanted !== undefined && wanted.otherCount > 0)
      const floor = isFiltered ? await findFloor(bounds, wanted) : undefined
      const choose = <Found>(none: Found, byStatus: Found, byModel: Found, byBoth: Found): Found =>
        model === undefined
          ? status === undefined
            ? none
            : byStatus
          : status === undefined
            ? byModel
            : byBoth
      const page = {
        ...bounds,
        ...(floor && { fromCreatedAt: floor.createdAt, fromTask: floor.task }),
        status: status ?? "queued",
        model: model ?? "",
        // One more than asked for shows whether there is another page.
        limit: limit + 1,
      }
      const rows: readonly ListedRow[] =
        wanted === undefined
          ? await read(choose(listed, listedByStatus, listedByModel, listedByBoth), page)
          : await read(choose(labelled, labelledByStatus, labelledByModel, labelledByBoth), {
              ...page,
              ...wanted,
            })
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : floor
      return {
        tasks: await Promise.all(shown.map((row) => archived.openTask(row))),
        next: last === undefined ? null : { createdAt: last.createdAt, id: last.task },
      }
    },
  }
}

function toBounds(request: Omit<ListRequest, "labels" | "limit" | "status" | "model">): Bounds {
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
