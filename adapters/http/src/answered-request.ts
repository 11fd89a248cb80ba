/**
 * What became of a request, told to whoever watches once it was answered: a host makes its log lines
 * and its metrics of it. Nothing here was written by the caller: the path is a pattern, the method
 * one of a few, the task an id that could be one; a query and a header are never told.
 */
import { isTaskId, type Clock } from "@safelight/core"
import { ERRORS } from "./errors/error-table.ts"
import { toErrorText } from "./errors/error-response.ts"
import type { Refusal } from "./errors/refusal.ts"
import type { Exchange } from "./exchange.ts"
import { toTextBytes, toWrittenBytes } from "./json-response.ts"

export interface AnsweredRequest {
  readonly requestId: string
  /** GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, or `other`. */
  readonly method: string
  /** The pattern of its path, as `/v1/tasks/:task`; `none` where the path is unknown or was not looked at. */
  readonly route: string
  readonly status: number
  /** Until the answer was made; where an artifact's bytes went to Node's response, until they were out. */
  readonly durationMs: number
  /** Of the answer's body; of a download that broke off, as far as it came. */
  readonly sentBytes: number
  /** False where a download broke off. */
  readonly isComplete: boolean
  /** Whose key it was, once that was verified. */
  readonly account: string | undefined
  /** The task that was made, or that the path names; it may be nobody's. */
  readonly task: string | undefined
}

/** Called once a request, after its answer is made; must not throw. */
export type OnAnswered = (request: AnsweredRequest) => void

/** The route of what matches none. */
const NO_ROUTE = "none"

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Tells `onAnswered` of the requests that a handler answers. */
export interface Watch {
  /** When a request came, to be handed back. */
  begin(): number
  end(ended: Ended): void
}

export interface Ended {
  readonly exchange: Exchange
  readonly route: string
  readonly response: Response
  readonly beganAt: number
}

export function createWatch(onAnswered: OnAnswered, clock: Pick<Clock, "monotonicNow">): Watch {
  return {
    begin: () => clock.monotonicNow(),
    end({ exchange, route, response, beganAt }) {
      const { requestId, method, account, transfer } = exchange
      onAnswered({
        requestId,
        method: toKnownMethod(method),
        route,
        status: transfer?.status ?? response.status,
        durationMs: clock.monotonicNow() - beganAt,
        sentBytes: transfer?.sentBytes ?? toWrittenBytes(response),
        isComplete: transfer === undefined || transfer.sentBytes === transfer.lengthBytes,
        account,
        task: exchange.task ?? toNamedTask(exchange),
      })
    },
  }
}

/** A request that was refused before anybody looked at its path. */
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
    task: undefined,
  }
}

function toKnownMethod(method: string): string {
  return METHODS.has(method) ? method : "other"
}

/** What stands in the place of an id may be anything, a secret too. */
function toNamedTask({ param }: Exchange): string | undefined {
  const id = param("task")
  return isTaskId(id) ? id : undefined
}
