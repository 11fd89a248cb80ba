/** Lists the account's tasks, newest first; each page is fetched when it is needed. */
import { clientError } from "../api-error.ts"
import type { ListQuery, Task, TaskList } from "../api/answers.ts"
import { isTaskList } from "../api/check-answers.ts"
import { TASKS_PATH, withQuery } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface PageQuery extends ListQuery {
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined
}

/** One page. */
export function listPage(
  connection: Connection,
  { created_after, created_before, status, model, label, limit, cursor }: PageQuery,
  { signal }: CallOptions,
): Promise<TaskList> {
  const query = { created_after, created_before, status, model, label, limit, cursor }
  return connection.read(withQuery(TASKS_PATH, query), isTaskList, { signal })
}

export async function* listTasks(
  connection: Connection,
  query: ListQuery,
  options: CallOptions,
): AsyncGenerator<Task, void, undefined> {
  let cursor: string | undefined
  do {
    const page = await listPage(connection, { ...query, cursor }, options)
    yield* page.tasks
    const next = page.next_cursor ?? undefined
    if (next !== undefined && next === cursor) {
      throw clientError("invalid_answer", "the list of tasks leads back to the same page")
    }
    cursor = next
  } while (cursor !== undefined)
}
