/**
 * The door for programs that speak to OpenAI: each request becomes requests of the task API, made in this process
 * with the caller's key, so that it may do what its key may do by the API and nothing else.
 */
import {
  createClient,
  isApiError,
  type Client,
  type ClientOptions,
  type FetchLike,
} from "@safelight/client"
import type { Answer } from "./answers/answer.ts"
import { answerRefusal, Refusal, toRefusal } from "./answers/refusal.ts"
import { endWith } from "@safelight/host"
import { createBudget, type Held } from "./calls/budget.ts"
import type { Call } from "./calls/call.ts"
import { createPurchases } from "./calls/purchases.ts"
import { editImages, generateImages } from "./images/make-images.ts"
import { createKnownModels } from "./models/known-models.ts"
import { listModels, showModel } from "./models/models.ts"
import { createVideo } from "./videos/create-video.ts"
import { deleteVideo, listVideos, showVideo, showVideoContent } from "./videos/videos.ts"

export interface OpenAiHandlerOptions {
  /** The task API, in this process. `bindings` are those of the request that asks. */
  readonly fetch: (
    url: string,
    init: RequestInit,
    bindings: object | undefined,
  ) => Promise<Response>
  /** How long a call waits for its task, ms; 570,000 by default, less than OpenAI's libraries wait for an answer. */
  readonly patienceMs?: number
  /** Unix time, ms. */
  readonly now?: () => number
}

export interface OpenAiRequest {
  readonly request: Request
  /** What the server has for the requests that come of this one. */
  readonly bindings?: object
  /** The caller has left: nobody may be waiting any more. */
  readonly left: AbortSignal
  /** Called once the answer is over. */
  readonly onOver: () => void
}

export interface OpenAiPurchase extends OpenAiRequest {
  /** The body: a `FormData`, or a value of JSON. It is empty afterwards. */
  readonly message: unknown
  /** Called once nothing of the body is held any more. */
  readonly onTaken?: () => void
  /** The most that the task may cost, in micro-units. */
  readonly maxCostMicros?: number | undefined
}

/** Each resolves to an answer of OpenAI's API, refusals included, and rejects only with a fault of this program. */
export interface OpenAiHandler {
  generateImages(purchase: OpenAiPurchase): Promise<Answer>
  editImages(purchase: OpenAiPurchase): Promise<Answer>
  createVideo(purchase: OpenAiPurchase): Promise<Answer>
  listVideos(request: OpenAiRequest): Promise<Answer>
  showVideo(request: OpenAiRequest, id: string): Promise<Answer>
  showVideoContent(request: OpenAiRequest, id: string): Promise<Answer>
  deleteVideo(request: OpenAiRequest, id: string): Promise<Answer>
  listModels(request: OpenAiRequest): Promise<Answer>
  showModel(request: OpenAiRequest, id: string): Promise<Answer>
  /** Calls that wait for a task are ended. */
  end(): void
}

const PATIENCE_MS = 570_000

export function createOpenAiHandler(options: OpenAiHandlerOptions): OpenAiHandler {
  const { now = () => Date.now(), patienceMs = PATIENCE_MS } = options
  const stopping = new AbortController()
  const budget = createBudget()
  const shared: Shared = {
    ask: options.fetch,
    stop: stopping.signal,
    models: createKnownModels(),
    purchases: createPurchases(now),
    now,
    patienceMs,
  }

  async function answer(asked: Asked, work: (call: Call) => Promise<Answer>): Promise<Answer> {
    const held = budget.open()
    function end(): void {
      held.release()
      asked.onOver()
    }
    try {
      const call = createCall(asked, held, shared)
      const answered = await work(call).catch((error: unknown) => refuse(error, call))
      if (!held.isEmpty) return sendHeld(answered, end)
      end()
      return answered
    } catch (error) {
      end()
      throw error
    }
  }

  return {
    generateImages: (purchase) => answer(purchase, generateImages),
    editImages: (purchase) => answer(purchase, editImages),
    createVideo: (purchase) => answer(purchase, createVideo),
    listVideos: (request) => answer(request, listVideos),
    showVideo: (request, id) => answer(request, (call) => showVideo(call, id)),
    showVideoContent: (request, id) => answer(request, (call) => showVideoContent(call, id)),
    deleteVideo: (request, id) => answer(request, (call) => deleteVideo(call, id)),
    listModels: (request) => answer(request, listModels),
    showModel: (request, id) => answer(request, (call) => showModel(call, id)),
    end: () => stopping.abort(),
  }
}

type Asked = OpenAiRequest & Partial<OpenAiPurchase>

/** What all calls have. */
interface Shared extends Pick<Call, "models" | "now" | "patienceMs" | "purchases"> {
  readonly ask: OpenAiHandlerOptions["fetch"]
  readonly stop: AbortSignal
}

function createCall(
  { bindings, left, maxCostMicros, message, onTaken = doNothing, request }: Asked,
  held: Held,
  { ask, stop, ...shared }: Shared,
): Call {
  const fetch: FetchLike = (path, init) => ask(new URL(path, ORIGIN).href, init, bindings)
  let client: Client | undefined
  let signal: AbortSignal | undefined
  return {
    ...shared,
    get client() {
      return (client ??= createCallerClient(fetch, request, HASTE))
    },
    get signal() {
      return (signal ??= AbortSignal.any([stop, left]))
    },
    cancel: (id) => createCallerClient(fetch, request).cancel(id, { signal: stop }),
    fetch,
    request,
    message,
    onTaken,
    maxCostMicros,
    told: {},
    left,
    held,
  }
}

function doNothing(): void {}

/** A stream tells when it is over. */
function sendHeld({ body, ...head }: Answer, end: () => void): Answer {
  return { ...head, body: endWith(new Response(body), end).body }
}

/** Rethrows a fault of this program. */
function refuse(error: unknown, { left, signal, told: { task } }: Call): Answer {
  const isEnded = signal.aborted && isOutside(error)
  const { options: refusal } = isEnded ? (left.aborted ? GONE : STOPPING) : toRefusal(error)
  return answerRefusal({ ...refusal, task: refusal.task ?? task })
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

/** Requests never leave the process, so the address is nobody's. */
const ORIGIN = "http://safelight.invalid"

/** It does not wait where the service asks for a pause: the caller is told. */
const HASTE = { longestRetryAfterMs: 1 }

function createCallerClient(
  fetch: FetchLike,
  request: Request,
  settings: ClientOptions["settings"] = {},
): Client {
  const authorization = request.headers.get("authorization") ?? ""
  return createClient({
    url: ORIGIN,
    key: authorization.replace(/^Bearer +/i, ""),
    settings,
    fetch,
  })
}
