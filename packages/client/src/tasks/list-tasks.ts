/** Lists the account's tasks, newest first; each page is fetched when it is needed. */
import { clientError } from "../api-error.ts"
import type { ListQuery, Task } from "../api/answers.ts"
import { isTaskList } from "../api/check-answers.ts"
import { TASKS_PATH, withQuery } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export async function* listTasks(
  connection: Connection,
  query: ListQuery,
  { signal }: CallOptions,
): AsyncGenerator<Task, void, undefined> {
  let cursor: string | undefined
  do {
    const path = withQuery(TASKS_PATH, { ...query, cursor })
    const page = await connection.read(path, isTaskList, { signal })
    yield* page.tasks
    const next = page.next_cursor ?? undefined
    if (next !== undefined && next === cursor) {
      throw clientError("invalid_answer", "the list of tasks leads back to the same page")
    }
    cursor = next
  } while (cursor !== undefined)
}
