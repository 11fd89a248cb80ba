/**
 * Folding: a task and an event make the next task. A refused event returns the identical object,
 * which is how `decide` and the audit recognise a refusal.
 */
import type { TaskEvent } from "./events.ts"
import { record, reduce, type TaskDraft } from "./reducers.ts"
import { emptyTask, type Task } from "./task.ts"
import { nextState } from "./transition-table.ts"

/** The task after `event`; the same object where the machine refuses it. */
export function evolve(task: Task, event: TaskEvent): Task {
  const state = nextState(task, event)
  return state === undefined ? task : record(task, event, state)
}

/** Folds events from the beginning. Throws a RangeError at the first event that is not legal. */
export function fold(id: string, events: Iterable<TaskEvent>): Task {
  const draft: TaskDraft = emptyTask(id)
  for (const event of events) {
    const state = nextState(draft, event)
    if (state === undefined) {
      throw new RangeError(
        `${event.type} is not legal in ${draft.state} (version ${draft.version})`,
      )
    }
    draft.state = state
    reduce(draft, event)
  }
  return draft
}
