/**
 * The client. `run` does everything from a prompt to a finished task; each of its steps is a method too.
 * Objects from the service keep the service's names (`task_id`, `created_at` in Unix seconds), while options
 * of the client are in camel case. A call whose `signal` is aborted rejects with the signal's reason.
 */
import { createAdminCalls, type AdminCalls } from "./admin/admin-calls.ts"
import { ApiError } from "./connection/api-error.ts"
import type {
  Artifact,
  EventList,
  LinkedArtifact,
  ListQuery,
  Task,
  TaskList,
} from "./api/answers.ts"
import type { TaskUsage, UsageReport, UsageStatement } from "./api/usage-answers.ts"
import type { Me } from "./api/key-answers.ts"
import type { Balance, ModelInfo, Quote } from "./api/price-answers.ts"
import {
  isBalance,
  isEventList,
  isMe,
  isModelInfo,
  isTask,
  isTaskUsage,
  isUsageReport,
} from "./api/check-answers.ts"
import { toModelPath, toTaskPath, withQuery } from "./api/paths.ts"
import { linkArtifacts } from "./artifacts/link-artifacts.ts"
import {
  createTaskArtifact,
  type LinkOptions,
  type TaskArtifact,
} from "./artifacts/task-artifact.ts"
import { checkOptions, type ClientOptions } from "./connection/client-options.ts"
import { createConnection, type Connection } from "./connection/connection.ts"
import { listModels } from "./prices/list-models.ts"
import { quoteTask } from "./prices/quote-task.ts"
import { readStatement, type StatementQuery } from "./prices/read-statement.ts"
import { cancelTask, type ClientCancellation } from "./tasks/cancel-task.ts"
import { listArtifacts, toClientTask, type ClientTask } from "./tasks/client-task.ts"
import { holdArtifacts } from "./tasks/hold-artifacts.ts"
import { createProofCalls, type ProofCalls } from "./proofs/proof-calls.ts"
import { listEvents } from "./tasks/list-events.ts"
import { listPage, listTasks, type CallOptions, type PageQuery } from "./tasks/list-tasks.ts"
import type { JsonText } from "./tasks/json-text.ts"
import type { AnyModel, ParametersOf } from "./tasks/model-parameters.ts"
import { submitTask, type SubmitOptions } from "./tasks/submit-task.ts"
import { isFinished, waitForTask, type WaitOptions } from "./tasks/wait-for-task.ts"
import { createWebhookCalls, type WebhookCalls } from "./webhooks/webhook-calls.ts"
import {
  followStream,
  type ResetMessage,
  type StreamOptions,
  type TaskMessage,
} from "./streams/follow-stream.ts"

export type TaskEvent = EventList["events"][number]

export interface UsageQuery {
  /** Unix seconds, inclusive. */
  readonly from?: number | undefined
  /** Unix seconds, exclusive; until now by default. */
  readonly to?: number | undefined
  /** `key=value`: counts tasks with all of these labels alone. */
  readonly label?: readonly string[] | undefined
}

export interface Client extends ProofCalls {
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
  /**
   * Ends the task as far as it can be stopped; `outcome` says what came of it. Work that can't be stopped goes
   * on, and is charged if it succeeds: look at the `task`, or `wait` for it. Twice is safe.
   */
  cancel(task: string | Task, options?: CallOptions): Promise<ClientCancellation>
  /** The task as it is now. */
  get(task: string, options?: CallOptions): Promise<ClientTask>
  /**
   * Everything that happens to the account's tasks, as it happens. Connections that end are opened again, and
   * nothing is missed meanwhile; after a `reset` something may be, so look at the tasks again.
   */
  stream(options?: StreamOptions): AsyncIterableIterator<TaskMessage | ResetMessage>
  /**
   * What happens to one task, from its beginning until it is finished. Where the service's database has lost
   * commits, it begins again.
   */
  streamTask(task: string, options?: StreamOptions): AsyncIterableIterator<TaskMessage>
  /** The account's tasks, newest first. A page is fetched when the one before it has been read. */
  list(query?: ListQuery, options?: CallOptions): AsyncIterableIterator<ClientTask>
  /** One page of that list, for a page of your own: `next_cursor` is the `cursor` of the next. */
  listPage(query?: PageQuery, options?: CallOptions): Promise<TaskList>
  /** An artifact of a finished task. No request is sent before one of its methods is called. */
  artifact(task: string, key: string): TaskArtifact
  artifacts(task: string, options?: CallOptions): Promise<readonly Artifact[]>
  /**
   * Makes a private link to each artifact of a finished task, by one request. The API key needs the scope
   * `links:write`. Rejects with `artifact_expired` if one of them has expired.
   */
  links(task: string, options?: LinkOptions): Promise<readonly LinkedArtifact[]>
  /**
   * Keeps the artifacts of a finished task until `until` (Unix seconds, or a date), if the account may; resolves
   * to the artifacts. None is ever kept for less time than before.
   */
  hold(task: string, until: number | Date, options?: CallOptions): Promise<readonly Artifact[]>
  /** What happened to a task, oldest first. */
  events(task: string, options?: CallOptions): Promise<readonly TaskEvent[]>
  /** What a task used and cost. */
  taskUsage(task: string, options?: CallOptions): Promise<TaskUsage>
  /** The cost of the tasks that finished in a period, and the account's budget. */
  usage(query?: UsageQuery, options?: CallOptions): Promise<UsageReport>
  /**
   * The charges of a period, each with what proves it, page by page. A page is fetched when the one before it has been
   * read. With `proofs`, all of a page are under its `checkpoint`.
   */
  statement(query?: StatementQuery, options?: CallOptions): AsyncIterableIterator<UsageStatement>
  /**
   * What a task would cost at most, and why. No task is made. Hand its `quote` to `submit` or `run`, so that
   * the task is charged by these prices or refused.
   */
  quote<Model extends AnyModel>(
    model: Model,
    parameters: ParametersOf<Model> | JsonText,
    options?: CallOptions,
  ): Promise<Quote>
  /** What the account has spent and what it has left. */
  balance(options?: CallOptions): Promise<Balance>
  /** Whose key this is, and what it may do. */
  me(options?: CallOptions): Promise<Me>
  /** Every model, with its limits and its price. */
  models(options?: CallOptions): Promise<readonly ModelInfo[]>
  /** Rejects with `not_found` if there is no such model. */
  model(id: AnyModel, options?: CallOptions): Promise<ModelInfo>
  /** The account's webhooks; `verifyWebhook` checks what they receive. */
  readonly webhooks: WebhookCalls
  /** The whole service, for an operator's key. */
  readonly admin: AdminCalls
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
    cancel: (task, more) =>
      cancelTask(connection, typeof task === "string" ? task : task.task_id, more),
    async get(id, { signal } = {}) {
      return toClientTask(connection, await connection.read(toTaskPath(id), isTask, { signal }))
    },
    stream: (more = {}) => followStream(connection, "/v1/stream", more),
    streamTask: (id, more = {}) => streamTask(connection, id, more),
    listPage: (query = {}, more = {}) => listPage(connection, query, more),
    list: (query = {}, more = {}) => listClientTasks(connection, query, more),
    artifact: (id, key) => createTaskArtifact(connection, id, key),
    artifacts: (id, more) => listArtifacts(connection, id, more),
    links: (id, more) => linkArtifacts(connection, id, more),
    hold: (id, until, more) => holdArtifacts(connection, id, until, more),
    events: (id, more = {}) => listEvents(connection, toTaskPath(id), isEventList, more),
    taskUsage: (id, { signal } = {}) =>
      connection.read(`${toTaskPath(id)}/usage`, isTaskUsage, { signal }),
    usage: ({ from, to, label } = {}, { signal } = {}) =>
      connection.read(withQuery("/v1/usage", { from, to, label }), isUsageReport, { signal }),
    statement: (query = {}, more = {}) => readStatement(connection, query, more),
    quote: (model, parameters, more) => quoteTask(connection, { model, parameters }, more),
    balance: ({ signal } = {}) => connection.read("/v1/balance", isBalance, { signal }),
    me: ({ signal } = {}) => connection.read("/v1/me", isMe, { signal }),
    models: ({ signal } = {}) => listModels(connection, { signal }),
    model: (id, { signal } = {}) => connection.read(toModelPath(id), isModelInfo, { signal }),
    ...createProofCalls(connection),
    webhooks: createWebhookCalls(connection),
    admin: createAdminCalls(connection),
  }
}

function isEnd(message: TaskMessage | ResetMessage): boolean {
  return "data" in message && isFinished(message.data)
}

async function* streamTask(
  connection: Connection,
  id: string,
  options: StreamOptions,
): AsyncGenerator<TaskMessage, void, undefined> {
  for await (const message of followStream(
    connection,
    `${toTaskPath(id)}/stream`,
    options,
    isEnd,
  )) {
    // After a reset the task's events come from the first: nothing is missing.
    if ("data" in message) yield message
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
