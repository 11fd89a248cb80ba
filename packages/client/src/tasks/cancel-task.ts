/** Cancels a task. A cancellation may be repeated like a read: the service tells again what came of it. */
import type { Cancellation } from "../api/answers.ts"
import { isCancellation } from "../api/check-answers.ts"
import { toTaskPath } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import { toClientTask, type ClientTask } from "./client-task.ts"
import type { CallOptions } from "./list-tasks.ts"

export interface ClientCancellation extends Cancellation {
  readonly task: ClientTask
}

export async function cancelTask(
  connection: Connection,
  id: string,
  { signal }: CallOptions = {},
): Promise<ClientCancellation> {
  const request = { method: "POST", path: `${toTaskPath(id)}/cancel`, signal } as const
  const { value } = await connection.retry(() => connection.ask(request, isCancellation), {
    signal,
  })
  return { ...value, task: toClientTask(connection, value.task) }
}
