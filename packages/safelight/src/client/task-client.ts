/**
 * The task API as the command uses it. Reading is repeated where the service is away for a moment. So
 * is a submission whose outcome is unknown, under the same Idempotency-Key: the service makes one task
 * of all of them.
 */
import * as v from "valibot"
import { CommandError } from "../command-error.ts"
import { EXIT } from "../exit-code.ts"
import { toWaitMs } from "./retry-after.ts"
import { outcomeUnknown, RefusalError, type ServiceConnection } from "./service-connection.ts"
import { artifactList, isFinished, taskList, taskRecord } from "./task-records.ts"
import type { ArtifactRecord, TaskList, TaskRecord } from "./task-records.ts"
import { linkRecord, taskUsage, usageReport } from "./usage-records.ts"
import type { LinkRecord, TaskUsageRecord, UsageReportRecord } from "./usage-records.ts"

export interface TaskClientOptions {
  readonly connection: ServiceConnection
  /** Resolves after `durationMs`. */
  readonly wait: (durationMs: number) => Promise<void>
  readonly now: () => number
}

export interface TaskClient {
  submit(request: SubmitRequest): Promise<TaskRecord>
  get(id: string): Promise<TaskRecord>
  /** A page of the account's tasks; `query` is sent as it stands. */
  list(query: Readonly<Record<string, string>>): Promise<TaskList>
  /** Asks until the task is finished; `report` sees every answer. */
  follow(task: TaskRecord, report: (task: TaskRecord) => void): Promise<TaskRecord>
  artifacts(id: string): Promise<readonly ArtifactRecord[]>
  /** The content of an artifact; its body is the caller's to read. */
  content(id: string, key: string): Promise<Response>
  /** A private link; `seconds` absent: the service says for how long. */
  createLink(request: LinkRequest): Promise<LinkRecord>
  /** What a task cost, and why. */
  taskUsage(id: string): Promise<TaskUsageRecord>
  /** What the account's tasks cost; `query` is sent as it stands. */
  usage(query: Readonly<Record<string, string>>): Promise<UsageReportRecord>
}

export interface SubmitRequest {
  readonly model: string
  /** JSON text, sent as it stands. */
  readonly parameters: string
  /** 1 to 255 printable ASCII characters; the same for every try. */
  readonly idempotencyKey: string
}

export interface LinkRequest {
  readonly task: string
  readonly artifact: string
  readonly seconds?: number
}

/** Answers in a row that may fail before waiting for a task is given up. */
const TRIES = 5
/** A submission takes up to the whole time-out each time. */
const SUBMIT_TRIES = 3

export function createTaskClient(options: TaskClientOptions): TaskClient {
  const { connection, wait, now } = options

  /** For what may be repeated: 429 and 5xx are asked again after the pause the service names. */
  async function repeat(send: () => Promise<Response>): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after another is the point
        return await send()
      } catch (error) {
        const pauseMs = attempt < TRIES ? toPauseMs(error, now()) : undefined
        if (pauseMs === undefined) throw error
        // oxlint-disable-next-line no-await-in-loop
        await wait(pauseMs)
      }
    }
  }

  const read = (path: string): Promise<Response> => repeat(() => connection.get(path))

  return {
    submit: async (request) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          // oxlint-disable-next-line no-await-in-loop -- one after another is the point
          return await submitOnce(connection, request)
        } catch (error) {
          const isFirst = attempt === 1
          if (isFirst && !isUnknown(error)) throw error
          if (attempt === SUBMIT_TRIES || !isWorthRepeating(error)) {
            throw withKey(error, request.idempotencyKey)
          }
          // oxlint-disable-next-line no-await-in-loop
          await wait(toWaitMs(toCause(error)?.retryAfter ?? null, now()))
        }
      }
    },
    get: async (id) => parseAnswer(taskRecord, await read(toTaskPath(id))),
    list: async (query) => parseAnswer(taskList, await read(withQuery("/v1/tasks", query))),
    async follow(task, report) {
      let last = task
      let pauseMs = 0
      while (!isFinished(last)) {
        // oxlint-disable-next-line no-await-in-loop
        await wait(pauseMs)
        // oxlint-disable-next-line no-await-in-loop
        const response = await read(toTaskPath(task.task_id))
        pauseMs = toWaitMs(response.headers.get("retry-after"), now())
        // oxlint-disable-next-line no-await-in-loop
        last = await parseAnswer(taskRecord, response)
        report(last)
      }
      return last
    },
    async artifacts(id) {
      const response = await read(`${toTaskPath(id)}/artifacts`)
      return (await parseAnswer(artifactList, response)).artifacts
    },
    content: (id, key) => read(`${toArtifactPath(id, key)}/content`),
    async createLink({ task, artifact, seconds }) {
      const query = seconds === undefined ? {} : { expires_in: String(seconds) }
      const path = withQuery(`${toArtifactPath(task, artifact)}/links`, query)
      return parseAnswer(linkRecord, await repeat(() => connection.postEmpty(path)))
    },
    taskUsage: async (id) => parseAnswer(taskUsage, await read(`${toTaskPath(id)}/usage`)),
    usage: async (query) => parseAnswer(usageReport, await read(withQuery("/v1/usage", query))),
  }
}

async function submitOnce(
  connection: ServiceConnection,
  { idempotencyKey, model, parameters }: SubmitRequest,
): Promise<TaskRecord> {
  const body = `{"model":${JSON.stringify(model)},"parameters":${parameters}}`
  const response = await connection.post("/v1/tasks", body, idempotencyKey)
  const place = response.headers.get("location")
  const text = await response.text().catch((error: unknown) => {
    const where = place === null ? "" : ` (it names ${place})`
    throw outcomeUnknown(`the answer broke off${where}`, error)
  })
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), taskRecord), text)
  if (parsed.success) return parsed.output
  throw outcomeUnknown(`the answer ${response.status} holds no task`)
}

function isUnknown(error: unknown): boolean {
  return error instanceof CommandError && error.exitCode === EXIT.outcomeUnknown
}

/** Unknown, away for now, or still at work on the request before. */
function isWorthRepeating(error: unknown): boolean {
  if (!(error instanceof CommandError)) return false
  const isBusy = error instanceof RefusalError && (error.status === 429 || error.status === 409)
  return isBusy || isUnknown(error) || error.exitCode === EXIT.unavailable
}

/** What the service said, where it said anything. */
function toCause(error: unknown): RefusalError | undefined {
  if (error instanceof RefusalError) return error
  const { cause } = error as Error
  return cause instanceof RefusalError ? cause : undefined
}

/**
 * Once a try's outcome was unknown, no later refusal settles it: a key that was revoked in between, for
 * one, says nothing about the task.
 */
function withKey(error: unknown, key: string): CommandError {
  const { message: words } = error as Error
  const message =
    `${isUnknown(error) ? words : outcomeUnknown(words).message}; ` +
    `the same command with --idempotency-key ${key} makes no second task`
  return new CommandError({ exitCode: EXIT.outcomeUnknown, message, cause: error })
}

function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString()
  return search === "" ? path : `${path}?${search}`
}

function toTaskPath(id: string): string {
  return `/v1/tasks/${encodeURIComponent(id)}`
}

function toArtifactPath(id: string, key: string): string {
  return `${toTaskPath(id)}/artifacts/${encodeURIComponent(key)}`
}

/** The pause before another try, or undefined where another try would be no use. */
function toPauseMs(error: unknown, now: number): number | undefined {
  if (!(error instanceof CommandError)) return undefined
  if (error instanceof RefusalError) {
    const isPassing = error.status === 429 || error.status >= 500
    return isPassing ? toWaitMs(error.retryAfter, now) : undefined
  }
  return error.exitCode === EXIT.unavailable ? toWaitMs(null, now) : undefined
}

async function parseAnswer<Schema extends v.GenericSchema>(
  schema: Schema,
  response: Response,
): Promise<v.InferOutput<Schema>> {
  const text = await response.text().catch((cause: unknown) => {
    const message = "the service's answer broke off"
    throw new CommandError({ exitCode: EXIT.unavailable, message, cause })
  })
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text)
  if (parsed.success) return parsed.output
  const message = "the service's answer is not what the task API promises"
  throw new CommandError({ exitCode: EXIT.unavailable, message })
}
