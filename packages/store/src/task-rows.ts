/** Replaces one task's row, and puts the task where it belongs, unless it has changed since it was read. */
import type { Storage, TaskPlace, TaskRow } from "@safelight/core"
import { QUEUE_CHANGES } from "./appends.ts"
import { IS_IN_DATABASE } from "./archive-statements.ts"
import { toStep, type Connections, type Step } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { allOf, TABLES, toStoredTaskRow, type StoredTaskRow } from "./sql/tables.ts"

export const TASK_ROW_STATEMENTS = describeStatements(({ db, compile }) => ({
  /** Changes no row that stands at another version or hash, and none of an archived task, which is made when it is read. */
  replaceTask: compile((row: StoredTaskRow) =>
    db
      .updateTable("tasks")
      .set(allOf(TABLES.tasks, row))
      .where("task", "=", row.task)
      .where("version", "=", row.version)
      .where("hash", "=", row.hash)
      .where(IS_IN_DATABASE),
  ),
}))

export function createTaskRowMethod(
  { commit }: Connections,
  compiler: Compiler,
): Pick<Storage, "replaceTaskRow"> {
  const { replaceTask } = TASK_ROW_STATEMENTS(compiler)
  const { dequeue, dropRetention, enqueue, retain } = QUEUE_CHANGES(compiler)

  function toPlaceSteps({ account, id: task, model }: TaskRow, place: TaskPlace): Step[] {
    const { ready, retainAt } = place
    const none = { lease: null, startTag: null, poolNumber: null, poolSize: null }
    const facts = { task, account, model, ...none }
    return [
      ready === null ? toStep(dequeue, { task }) : toStep(enqueue, { ...facts, ...ready }),
      retainAt === null
        ? toStep(dropRetention, { task })
        : toStep(retain, { task, dueAt: retainAt }),
    ]
  }

  return {
    async replaceTaskRow(row, place) {
      const steps = [toStep(replaceTask, toStoredTaskRow(row))]
      if (place !== undefined) steps.push(...toPlaceSteps(row, place))
      await commit({ steps, isGuarded: true })
    },
  }
}
