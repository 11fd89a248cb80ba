/**
 * The client: three lines make a file of a prompt, and each step can be had by itself. Objects of the
 * service have the members that the service gives them (`task_id`, `created_at` in Unix seconds); what is
 * the client's own is named as in TypeScript. Whatever takes a `signal` rejects with its reason once it is
 * aborted.
 */
import { ApiError } from "./api-error.ts"
import type { Artifact, EventList, ListQuery, Task, TaskUsage, UsageReport } from "./api/answers.ts"
import { isEventList, isTask, isTaskUsage, isUsageReport } from "./api/check-answers.ts"
import { toTaskPath, withQuery } from "./api/paths.ts"
import { createTaskArtifact, type TaskArtifact } from "./artifacts/task-artifact.ts"
import { checkOptions, type ClientOptions } from "./client-options.ts"
import { createConnection, type Connection } from "./connection/connection.ts"
import { listArtifacts, toClientTask, type ClientTask } from "./tasks/client-task.ts"
import { listTasks, type CallOptions } from "./tasks/list-tasks.ts"
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
   * Submits and waits; resolves once the task has succeeded. Rejects with its `code` if it failed, and the
   * error has the task. To abort ends the waiting, and not the task.
   */
  run<Model extends AnyModel>(
    model: Model,
    parameters: ParametersOf<Model>,
    options?: SubmitOptions & WaitOptions,
  ): Promise<ClientTask>
  /**
   * Resolves once the service has accepted it, which may be when it is finished. However often it has to
   * be sent, its idempotency key makes one task of it. Rejects with `outcome_unknown` if that could not
   * be seen to be so.
   */
  submit<Model extends AnyModel>(
    model: Model,
    parameters: ParametersOf<Model>,
    options?: SubmitOptions,
  ): Promise<ClientTask>
  /** Resolves with the task once it has succeeded or failed: see its `status`. */
  wait(task: string | Task, options?: WaitOptions): Promise<ClientTask>
  /** The task as it is now. */
  get(task: string, options?: CallOptions): Promise<ClientTask>
  /** The account's tasks, newest first; pages are fetched as they are needed. */
  list(query?: ListQuery, options?: CallOptions): AsyncIterableIterator<ClientTask>
  /** An artifact of a task that was made earlier. Asks nothing by itself. */
  artifact(task: string, key: string): TaskArtifact
  artifacts(task: string, options?: CallOptions): Promise<readonly Artifact[]>
  /** What happened to a task, oldest first. */
  events(task: string, options?: CallOptions): Promise<readonly TaskEvent[]>
  /** What a task used and cost. */
  taskUsage(task: string, options?: CallOptions): Promise<TaskUsage>
  /** What the tasks cost that finished in a period, and how the account stands. */
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
