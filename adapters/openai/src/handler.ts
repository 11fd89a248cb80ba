/**
 * The door for programs that speak to OpenAI: each request becomes requests of the task API, made in this process
 * with the caller's key, so that it may do what its key may do by the API and nothing else.
 */
import { createClient, isApiError, type Client, type FetchLike } from "@safelight/client"
import { answerRefusal, Refusal, toRefusal } from "./answers/refusal.ts"
import { endWith } from "@safelight/host"
import { createBudget } from "./calls/budget.ts"
import type { Call } from "./calls/call.ts"
import { createPurchases } from "./calls/purchases.ts"
import { generateImages } from "./images/generate.ts"
import { listModels, showModel } from "./models/models.ts"

export interface OpenAiHandlerOptions {
  /** The task API, in this process. */
  readonly fetch: FetchLike
  /** How long a call waits for its task, ms; 570,000 by default, less than OpenAI's libraries wait for an answer. */
  readonly patienceMs?: number
  /** Unix time, ms. */
  readonly now?: () => number
}

export interface OpenAiRequest {
  readonly request: Request
  /** The body, parsed; undefined for a GET. */
  readonly message?: unknown
  /** The most that the task may cost, in micro-units. */
  readonly maxCostMicros?: number | undefined
  /** Nobody may be waiting any more. */
  readonly left: AbortSignal
  /** Called once the answer is over. */
  readonly onOver: () => void
}

export interface OpenAiHandler {
  /** Answers of this API, refusals included. Rejects only with a fault of this program. */
  generateImages(request: OpenAiRequest): Promise<Response>
  listModels(request: OpenAiRequest): Promise<Response>
  showModel(request: OpenAiRequest, id: string): Promise<Response>
  /** Calls that wait for a task are ended. */
  end(): void
}

const PATIENCE_MS = 570_000

export function createOpenAiHandler({
  fetch,
  now = () => Date.now(),
  patienceMs = PATIENCE_MS,
}: OpenAiHandlerOptions): OpenAiHandler {
  const stopping = new AbortController()
  const budget = createBudget()
  const purchases = createPurchases(now)

  async function answer(
    { left, maxCostMicros, message, onOver, request }: OpenAiRequest,
    work: (call: Call) => Promise<Response>,
  ): Promise<Response> {
    const client = createCallerClient(fetch, request)
    const signal = AbortSignal.any([stopping.signal, left])
    const held = budget.open()
    const call = {
      client,
      request,
      message,
      maxCostMicros,
      signal,
      left,
      held,
      purchases,
      now,
      patienceMs,
    }
    function end(): void {
      held.release()
      onOver()
    }
    try {
      return endWith(await work(call).catch((error: unknown) => refuse(error, left)), end)
    } catch (error) {
      end()
      throw error
    }
  }

  /** Rethrows a fault of this program. */
  function refuse(error: unknown, left: AbortSignal): Response {
    const isEnded = left.aborted || stopping.signal.aborted
    if (!isEnded || !isOutside(error)) return answerRefusal(toRefusal(error))
    return answerRefusal(left.aborted ? GONE : STOPPING)
  }

  return {
    generateImages: (request) => answer(request, generateImages),
    listModels: (request) => answer(request, listModels),
    showModel: (request, id) => answer(request, (call) => showModel(call, id)),
    end: () => stopping.abort(),
  }
}

/** No fault of this program: the call was ended, or the service refused what the end asked for. */
function isOutside(error: unknown): boolean {
  return isApiError(error) || (error instanceof Error && error.name === "AbortError")
}

/** For the log: nobody reads it. */
const GONE = new Refusal({ status: 499, code: "caller_left", message: "The caller has left." })

const STOPPING = new Refusal({
  status: 503,
  code: "service_unavailable",
  type: "server_error",
  message: "The service stops. A task that was bought goes on; a repeat of this request finds it.",
  retryAfterMs: 1_000,
})

/** It does not wait where the service asks for a pause: the caller is told. Its requests never leave the process, so the address is nobody's. */
function createCallerClient(fetch: FetchLike, request: Request): Client {
  const authorization = request.headers.get("authorization") ?? ""
  return createClient({
    url: "http://safelight.invalid",
    key: authorization.replace(/^Bearer +/i, ""),
    settings: { longestRetryAfterMs: 1 },
    fetch,
  })
}
