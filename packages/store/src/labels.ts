/**
 * The labels of tasks: written with a task's first event, read and erased by its id. Tasks are found by them
 * in `lists.ts`, and their charges in `accounts.ts`.
 */
import { fromLabelTexts, toLabelTexts, type Append, type Labels } from "@safelight/core"
import type { Expression, ExpressionBuilder, SelectQueryBuilder, SqlBool } from "kysely"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { allOf, TABLES, type LabelRow, type StoreDatabase } from "./sql/tables.ts"

export const LABEL_STATEMENTS = describeStatements(({ db, compile }) => ({
  insertLabel: compile((row: LabelRow) =>
    db.insertInto("labels").values(allOf(TABLES.labels, row)),
  ),
  findLabels: compile(({ task }: { task: string }) =>
    db.selectFrom("labels").select("label").where("task", "=", task),
  ),
  eraseLabels: compile(({ task }: { task: string }) =>
    db.deleteFrom("labels").where("task", "=", task),
  ),
}))

const NO_ROWS: readonly LabelRow[] = []

export function toLabelRows({ changes, labels }: Append): readonly LabelRow[] {
  if (labels === undefined) return NO_ROWS
  const { account, createdAt, id: task } = changes.task
  return toLabelTexts(labels).map((label) => ({ account, label, createdAt, task }))
}

export function toLabels(rows: readonly { readonly label: string }[]): Labels {
  return fromLabelTexts(rows.map(({ label }) => label).toSorted())
}

/** Labels to look for: tasks are found by the first, and then have to have all the others. */
export interface WantedLabels {
  readonly label: string
  readonly others: readonly string[]
  readonly otherCount: number
}

/** The values of a statement that looks for none. */
export const NONE_WANTED: WantedLabels = { label: "", others: [], otherCount: 0 }

/** Undefined if any task will do. */
export function toWantedLabels(labels: Labels = {}): WantedLabels | undefined {
  const [label, ...others] = toLabelTexts(labels)
  return label === undefined ? undefined : { label, others, otherCount: others.length }
}

/** The account's tasks with the wanted labels. */
export function selectLabelled(
  compiler: Compiler,
  wanted: WantedLabels & { readonly account: string },
): SelectQueryBuilder<StoreDatabase, "labels", { task: string }> {
  return compiler.db
    .selectFrom("labels")
    .select("labels.task")
    .where("labels.account", "=", wanted.account)
    .where("labels.label", "=", wanted.label)
    .where(hasOthers(compiler, wanted))
}

/** Whether the task of a row of `labels` has the other labels too: each is looked up by its key. */
export function hasOthers(
  { members }: Compiler,
  wanted: Pick<WantedLabels, "others" | "otherCount">,
): (of: ExpressionBuilder<StoreDatabase, "labels">) => Expression<SqlBool> {
  return (of) =>
    of(
      of
        .selectFrom("labels as other")
        .select((count) => count.fn.countAll<number>().as("count"))
        .whereRef("other.account", "=", "labels.account")
        .where("other.label", "in", members(wanted.others))
        .whereRef("other.createdAt", "=", "labels.createdAt")
        .whereRef("other.task", "=", "labels.task"),
      "=",
      wanted.otherCount,
    )
}
