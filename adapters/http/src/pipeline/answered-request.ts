/**
 * Reports each request once it was answered, for a host's log lines and metrics. A report contains nothing
 * that the caller could choose freely: the path is a pattern, the method one of a few, the task has the
 * form of an id; query and headers are left out.
 */
import { isTaskId, type Clock, type Span, type Tracer } from "@safelight/core"
import { ERRORS } from "../errors/error-table.ts"
import { toErrorText } from "../errors/error-response.ts"
import type { Refusal } from "../errors/refusal.ts"
import type { Exchange } from "./exchange.ts"
import { toTextBytes, toWrittenBytes } from "./json-response.ts"
import { endRequestSpan, startRequestSpan } from "./request-span.ts"

export interface AnsweredRequest {
  readonly requestId: string
  /** GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, or `other`. */
  readonly method: string
  /** The pattern of its path, as `/v1/tasks/:task`; `none` if it is unknown or was not looked at. */
  readonly route: string
  readonly status: number
  /** Until the answer was made, without what the caller had it wait for a task; for an artifact under our Node server until its bytes were sent. */
  readonly durationMs: number
  /** Of the answer's body; of a download that broke off, the bytes sent until then. */
  readonly sentBytes: number
  /** False if a download broke off. */
  readonly isComplete: boolean
  /** The account of the key, once that was verified; also of one that was refused for what it lacks. */
  readonly account: string | undefined
  /** The id of that key. */
  readonly keyId: string | undefined
  /** The task that was made, or that the path names; it need not exist. */
  readonly task: string | undefined
}

/** Called once a request, after its answer is made; must not throw. */
export type OnAnswered = (request: AnsweredRequest) => void

/** The route of a path that matches none. */
const NO_ROUTE = "none"

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Calls `onAnswered` for the requests that a handler answers, and makes their spans. */
export interface Watch {
  begin(exchange: Exchange, route: string): Watched
  /** Returns the response. */
  end(watched: Watched, response: Response): Response
}

export interface WatchOptions {
  readonly clock: Pick<Clock, "monotonicNow">
  readonly onAnswered?: OnAnswered | undefined
  readonly tracer?: Tracer | undefined
}

/** A request that is being answered. */
export interface Watched {
  readonly exchange: Exchange
  readonly route: string
  readonly beganAt: number
  /** In which the request is to be answered. */
  readonly span: Span | undefined
}

export function createWatch({ clock, onAnswered, tracer }: WatchOptions): Watch {
  return {
    begin(exchange, route) {
      const span = tracer && startRequestSpan(tracer, exchange.request, toPlace(exchange, route))
      return { exchange, route, beganAt: clock.monotonicNow(), span }
    },
    end(watched, response) {
      const { span } = watched
      if (onAnswered === undefined && span === undefined) return response
      const answered = toAnswered(watched, response, clock.monotonicNow())
      onAnswered?.(answered)
      if (span !== undefined) endRequestSpan(span, answered)
      return response
    },
  }
}

function toAnswered(
  { exchange, route, beganAt }: Watched,
  response: Response,
  endedAt: number,
): AnsweredRequest {
  const { requestId, report } = exchange
  const { identity, task, transfer, waitedMs } = report
  return {
    requestId,
    ...toPlace(exchange, route),
    status: transfer?.status ?? response.status,
    durationMs: endedAt - beganAt - waitedMs,
    sentBytes: transfer?.sentBytes ?? toWrittenBytes(response),
    isComplete: transfer === undefined || transfer.sentBytes === transfer.lengthBytes,
    account: identity?.account.id,
    keyId: identity?.keyId,
    task: task ?? toNamedTask(exchange),
  }
}

function toPlace({ method }: Exchange, route: string): Pick<AnsweredRequest, "method" | "route"> {
  return { method: toKnownMethod(method), route }
}

/** The report of a request that was refused before its path was looked at. */
export function toRefusedRequest(refused: {
  readonly requestId: string
  readonly method: string
  readonly refusal: Refusal
}): AnsweredRequest {
  const { requestId, method, refusal } = refused
  const [status] = ERRORS[refusal.code]
  return {
    requestId,
    method: toKnownMethod(method),
    route: NO_ROUTE,
    status,
    durationMs: 0,
    sentBytes: method === "HEAD" ? 0 : toTextBytes(toErrorText(refusal)),
    isComplete: true,
    account: undefined,
    keyId: undefined,
    task: undefined,
  }
}

function toKnownMethod(method: string): string {
  return METHODS.has(method) ? method : "other"
}

/** The path may have anything where an id belongs, even a secret. */
function toNamedTask({ param }: Exchange): string | undefined {
  const id = param("task")
  return isTaskId(id) ? id : undefined
}
