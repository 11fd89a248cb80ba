/**
 * The client. `run` does everything from a prompt to a finished task; each of its steps is a method too.
 * Objects from the service keep the service's names (`task_id`, `created_at` in Unix seconds), while options
 * of the client are in camel case. A call whose `signal` is aborted rejects with the signal's reason.
 */
import { ApiError } from "./api-error.ts"
import type {
  Artifact,
  EventList,
  ListQuery,
  Task,
  TaskList,
  TaskUsage,
  UsageReport,
} from "./api/answers.ts"
import { isEventList, isTask, isTaskUsage, isUsageReport } from "./api/check-answers.ts"
import { toTaskPath, withQuery } from "./api/paths.ts"
import { createTaskArtifact, type TaskArtifact } from "./artifacts/task-artifact.ts"
import { checkOptions, type ClientOptions } from "./client-options.ts"
import { createConnection, type Connection } from "./connection/connection.ts"
import { listArtifacts, toClientTask, type ClientTask } from "./tasks/client-task.ts"
import { listPage, listTasks, type CallOptions, type PageQuery } from "./tasks/list-tasks.ts"
import type { JsonText } from "./tasks/json-text.ts"
import type { AnyModel, ParametersOf } from "./tasks/model-parameters.ts"
import { submitTask, type SubmitOptions } from "./tasks/submit-task.ts"
import { waitForTask, type WaitOptions } from "./tasks/wait-for-task.ts"

export type TaskEvent = EventList["events"][number]

export interface UsageQuery {
  /** Unix seconds, inclusive. */
  readonly from?: number | undefined
  /** Unix seconds, exclusive; until now by default. */
  readonly to?: number | undefined
}

export interface Client {
  /**
   * Submits a task and waits for it; resolves when it has succeeded. If it fails, rejects with the task's
   * `code` and with the `task`. Aborting stops the waiting, not the task.
   */
  run<Model extends AnyModel>(
    model: Model,
    parameters: ParametersOf<Model> | JsonText,
    options?: SubmitOptions & WaitOptions,
  ): Promise<ClientTask>
  /**
   * Resolves when the service has accepted the task, which may be finished by then. The request may be
   * sent several times, and its idempotency key makes one task of all of them. Rejects with
   * `outcome_unknown` if a task may exist and no answer confirmed it.
   */
  submit<Model extends AnyModel>(
    model: Model,
    parameters: ParametersOf<Model> | JsonText,
    options?: SubmitOptions,
  ): Promise<ClientTask>
  /** Resolves when the task has succeeded or failed: look at its `status`. */
  wait(task: string | Task, options?: WaitOptions): Promise<ClientTask>
  /** The task as it is now. */
  get(task: string, options?: CallOptions): Promise<ClientTask>
  /** The account's tasks, newest first. A page is fetched when the one before it has been read. */
  list(query?: ListQuery, options?: CallOptions): AsyncIterableIterator<ClientTask>
  /** One page of that list, for a page of your own: `next_cursor` is the `cursor` of the next. */
  listPage(query?: PageQuery, options?: CallOptions): Promise<TaskList>
  /** An artifact of a finished task. No request is sent before one of its methods is called. */
  artifact(task: string, key: string): TaskArtifact
  artifacts(task: string, options?: CallOptions): Promise<readonly Artifact[]>
  /** What happened to a task, oldest first. */
  events(task: string, options?: CallOptions): Promise<readonly TaskEvent[]>
  /** What a task used and cost. */
  taskUsage(task: string, options?: CallOptions): Promise<TaskUsage>
  /** The cost of the tasks that finished in a period, and the account's budget. */
  usage(query?: UsageQuery, options?: CallOptions): Promise<UsageReport>
}

/** Throws a `TypeError` that names the option at fault. */
export function createClient(options: ClientOptions): Client {
  const connection = createConnection(checkOptions(options))

  async function submit(
    model: string,
    parameters: unknown,
    more: SubmitOptions = {},
  ): Promise<ClientTask> {
    return toClientTask(connection, await submitTask(connection, { model, parameters }, more))
  }

  async function wait(task: string | Task, more: WaitOptions = {}): Promise<ClientTask> {
    const known = typeof task === "string" ? undefined : task
    const id = typeof task === "string" ? task : task.task_id
    return toClientTask(connection, await waitForTask(connection, id, more, known))
  }

  return {
    async run(model, parameters, more) {
      const task = await wait(await submit(model, parameters, more), more)
      if (task.status === "failed") throw toFailure(task)
      return task
    },
    submit,
    wait,
    async get(id, { signal } = {}) {
      return toClientTask(connection, await connection.read(toTaskPath(id), isTask, { signal }))
    },
    listPage: (query = {}, more = {}) => listPage(connection, query, more),
    list: (query = {}, more = {}) => listClientTasks(connection, query, more),
    artifact: (id, key) => createTaskArtifact(connection, id, key),
    artifacts: (id, more) => listArtifacts(connection, id, more),
    async events(id, { signal } = {}) {
      const path = `${toTaskPath(id)}/events`
      return (await connection.read(path, isEventList, { signal })).events
    },
    taskUsage: (id, { signal } = {}) =>
      connection.read(`${toTaskPath(id)}/usage`, isTaskUsage, { signal }),
    usage: ({ from, to } = {}, { signal } = {}) =>
      connection.read(withQuery("/v1/usage", { from, to }), isUsageReport, { signal }),
  }
}

async function* listClientTasks(
  connection: Connection,
  query: ListQuery,
  options: CallOptions,
): AsyncGenerator<ClientTask, void, undefined> {
  for await (const task of listTasks(connection, query, options)) {
    yield toClientTask(connection, task)
  }
}

function toFailure(task: Task): ApiError {
  const unexplained = {
    message: "The task failed.",
    type: "generation_error",
    code: "internal_error",
  }
  return new ApiError({ ...(task.error ?? unexplained), task })
}
