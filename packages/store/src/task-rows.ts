/** Projecting anew: one task's row is replaced unless its task has gone on since it was read. */
import type { Storage, TaskRow } from "@safelight/core"
import { toStep, type Connections } from "./driver.ts"
import { describeStatements, type Compiler } from "./statement.ts"

export const TASK_ROW_STATEMENTS = describeStatements(({ db, compile }) => ({
  /** Changes no row that stands at another version or hash. */
  replaceTask: compile(({ id, hash, version, ...row }: TaskRow) =>
    db
      .updateTable("tasks")
      .set(row)
      .where("id", "=", id)
      .where("version", "=", version)
      .where("hash", "=", hash),
  ),
}))

export function createTaskRowMethod(
  { commit }: Connections,
  compiler: Compiler,
): Pick<Storage, "replaceTaskRow"> {
  const { replaceTask } = TASK_ROW_STATEMENTS(compiler)
  return {
    async replaceTaskRow(row) {
      await commit({ steps: [toStep(replaceTask, row)] })
    },
  }
}
