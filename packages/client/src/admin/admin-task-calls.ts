/** The operator's calls about tasks, of whatever account. */
import type { Cancellation, ListQuery } from "../api/answers.ts"
import { isCancellation } from "../api/check-answers.ts"
import {
  isOperatorTask,
  isOperatorTaskList,
  isStoredEventList,
} from "../api/check-operator-answers.ts"
import type { OperatorTask, OperatorTaskList, StoredEventList } from "../api/operator-answers.ts"
import { withQuery } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import { listEvents } from "../tasks/list-events.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"

export type StoredEvent = StoredEventList["events"][number]

/** Without an account, of all of them; then without `label`, `created_after` and `created_before`. */
export interface AllTasksQuery extends ListQuery {
  readonly account?: string | undefined
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined
}

/** `adopt`: the provider has the task under this operation, JSON or plain text. `fail`: it never will. */
export type TaskVerdict = { readonly adopt: string } | { readonly fail: true }

export interface AdminTaskCalls {
  /** One page, newest first. */
  tasks(query?: AllTasksQuery, options?: CallOptions): Promise<OperatorTaskList>
  task(id: string, options?: CallOptions): Promise<OperatorTask>
  /** Its log as it is stored, oldest first, with what hashes cover. */
  taskEvents(id: string, options?: CallOptions): Promise<readonly StoredEvent[]>
  /** As its account would. Twice is safe. */
  cancelTask(id: string, options?: CallOptions): Promise<Cancellation>
  /** Settles a task whose outcome is unknown. */
  resolveTask(id: string, verdict: TaskVerdict, options?: CallOptions): Promise<OperatorTask>
}

const PATH = "/v1/admin/tasks"
const toPath = (id: string): string => `${PATH}/${encodeURIComponent(id)}`

export function createAdminTaskCalls(connection: Connection): AdminTaskCalls {
  return {
    tasks(
      { account, created_after, created_before, status, model, label, limit, cursor } = {},
      { signal } = {},
    ) {
      const moments = { created_after, created_before }
      const query = { account, ...moments, status, model, label, limit, cursor }
      return connection.read(withQuery(PATH, query), isOperatorTaskList, { signal })
    },
    task: (id, { signal } = {}) => connection.read(toPath(id), isOperatorTask, { signal }),
    taskEvents: (id, more = {}) => listEvents(connection, toPath(id), isStoredEventList, more),
    cancelTask(id, { signal } = {}) {
      const request = { method: "POST", path: `${toPath(id)}/cancel`, signal } as const
      const once = async () => (await connection.ask(request, isCancellation)).value
      return connection.retry(once, { signal })
    },
    async resolveTask(id, verdict, { signal } = {}) {
      const body = JSON.stringify(verdict)
      const headers = { "content-type": "application/json" }
      const path = `${toPath(id)}/resolve`
      // Once: a second time the task is no longer in doubt, and that would hide what came of the first.
      const request = { method: "POST", path, body, headers, signal } as const
      return (await connection.ask(request, isOperatorTask)).value
    },
  }
}
