/** Replaces one task's row by another projection, unless the task has changed since it was read. */
import type { Storage } from "@safelight/core"
import { toStep, type Connections } from "./driver.ts"
import { describeStatements, type Compiler } from "./statement.ts"
import { allOf, TABLES, toStoredTaskRow, type StoredTaskRow } from "./tables.ts"

export const TASK_ROW_STATEMENTS = describeStatements(({ db, compile }) => ({
  /** Changes no row that stands at another version or hash. */
  replaceTask: compile((row: StoredTaskRow) =>
    db
      .updateTable("tasks")
      .set(allOf(TABLES.tasks, row))
      .where("task", "=", row.task)
      .where("version", "=", row.version)
      .where("hash", "=", row.hash),
  ),
}))

export function createTaskRowMethod(
  { commit }: Connections,
  compiler: Compiler,
): Pick<Storage, "replaceTaskRow"> {
  const { replaceTask } = TASK_ROW_STATEMENTS(compiler)
  return {
    async replaceTaskRow(row) {
      await commit({ steps: [toStep(replaceTask, toStoredTaskRow(row))] })
    },
  }
}
