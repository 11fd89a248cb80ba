/** Lists the account's tasks, newest first; each page is fetched when it is needed. */
import type { ListQuery, Task, TaskList } from "../api/answers.ts"
import { isTaskList } from "../api/check-answers.ts"
import { TASKS_PATH, withQuery } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import { readPages } from "../connection/read-pages.ts"

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
  { created_after, created_before, status, model, label, limit, cursor, include }: PageQuery,
  { signal }: CallOptions,
): Promise<TaskList> {
  const query = { created_after, created_before, status, model, label, limit, cursor, include }
  return connection.read(withQuery(TASKS_PATH, query), isTaskList, { signal })
}

export async function* listTasks(
  connection: Connection,
  query: ListQuery,
  options: CallOptions,
): AsyncGenerator<Task, void, undefined> {
  const read = (cursor: string | undefined): Promise<TaskList> =>
    listPage(connection, { ...query, cursor }, options)
  for await (const { tasks } of readPages("the list of tasks", read)) yield* tasks
}
