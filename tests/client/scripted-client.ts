/**
 * A client whose service is a script: each request gets the next answer, the last one for ever. Pauses
 * take no time and are kept; silence ends only if a test lets it.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import {
  createClient,
  DEFAULTS,
  isApiError,
  type ApiError,
  type Client,
  type ClientClock,
  type ClientOptions,
  type Task,
} from "@safelight/client"
import { until } from "../support/until.ts"

export const MODEL = "vendor-a/v4.1/flash/text-to-image"
export const PARAMETERS = { prompt: "first light" }
export const ID = "019a0000-0000-7000-8000-000000000001"
export const KEY = "sl_live_0123456789_secret"
/** The moment of the test clock: Sun, 06 Nov 1994 08:49:37 GMT. */
export const NOW = 784_111_777_000

export interface SentRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Headers
  readonly body: string | undefined
  readonly signal: AbortSignal
}

export type Answer = (request: SentRequest) => Response | Promise<Response>

export interface TestClock extends ClientClock {
  /** In the order in which they were begun; silence is none. */
  readonly pausesMs: number[]
  /** Waits until somebody is silent, who has been so for too long then. */
  endSilence(): Promise<void>
  /** From now on everybody is who does not answer at once. */
  hurry(): void
}

export function createTestClock(): TestClock {
  const pausesMs: number[] = []
  const waiting = new Set<() => void>()
  let isHurried = false
  function end(): void {
    for (const each of waiting) each()
    waiting.clear()
  }
  return {
    pausesMs,
    now: () => NOW,
    async endSilence() {
      await until(() => waiting.size > 0)
      end()
    },
    hurry() {
      isHurried = true
      end()
    },
    async wait(durationMs, signal) {
      signal?.throwIfAborted()
      if (durationMs !== DEFAULTS.silenceMs) {
        pausesMs.push(durationMs)
        return
      }
      if (isHurried) return
      await new Promise<void>((resolve, reject) => {
        waiting.add(resolve)
        const stop = (): void => {
          waiting.delete(resolve)
          reject(signal?.reason as Error)
        }
        signal?.addEventListener("abort", stop, { once: true })
      })
    },
  }
}

export interface ScriptedClient {
  readonly client: Client
  readonly requests: SentRequest[]
  readonly clock: TestClock
}

/** Pauses are not spread: `random` is 0 unless an option says otherwise. */
export function createScriptedClient(
  answers: readonly Answer[],
  options: Partial<ClientOptions> = {},
): ScriptedClient {
  const clock = createTestClock()
  const requests: SentRequest[] = []
  const client = createClient({
    url: "https://service.example/media/",
    key: KEY,
    clock,
    random: () => 0,
    async fetch(url, init) {
      const { pathname, search } = new URL(url)
      const request = {
        method: init.method ?? "GET",
        target: pathname.replace(/^\/media/, "") + search,
        headers: new Headers(init.headers),
        body: init.body as string | undefined,
        signal: init.signal as AbortSignal,
      }
      const answer = answers[Math.min(requests.length, answers.length - 1)]
      requests.push(request)
      if (answer === undefined) throw new Error("the script has no answer")
      return answer(request)
    },
    ...options,
  })
  return { client, requests, clock }
}

export function toTask(
  status: Task["status"],
  progress: number,
  error: Task["error"] = null,
): Task {
  const isFinished = status === "succeeded" || status === "failed"
  return {
    task_id: ID,
    model: MODEL,
    status,
    progress,
    created_at: 1,
    finished_at: isFinished ? 2 : 0,
    error,
    links: { self: `/v1/tasks/${ID}`, artifacts: `/v1/tasks/${ID}/artifacts` },
  }
}

export const QUEUED = toTask("queued", 0)
export const SUCCEEDED = toTask("succeeded", 100)

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return () =>
    new Response(JSON.stringify(body), {
      status,
      headers: { "content-type": "application/json", "x-request-id": "req_1", ...headers },
    })
}

export const ACCEPTED = json(202, QUEUED, { location: `/v1/tasks/${ID}` })

export function refusal(
  status: number,
  code: string,
  headers: Record<string, string> = {},
  more: object = {},
): Answer {
  const error = { message: `words of ${code}`, type: "some_error", code, ...more }
  return json(status, { error }, headers)
}

/** As a proxy says it. */
export function page(status: number, headers: Record<string, string> = {}): Answer {
  const text = "<!doctype html><title>Oh no</title>"
  return () => new Response(text, { status, headers: { "content-type": "text/html", ...headers } })
}

/** As Node's `fetch` fails. */
export function failWith(code: string): Answer {
  return () => {
    const cause = Object.assign(new Error(`it says ${code}`), { code })
    throw new TypeError("fetch failed", { cause })
  }
}

/** The reply is lost behind the request. */
export const LOST = failWith("UND_ERR_SOCKET")

/** An answer whose body ends with its connection after `bytes`. */
export function cut(answer: Answer, bytes: number): Answer {
  return async (request) => {
    const whole = await answer(request)
    const text = new Uint8Array(await whole.arrayBuffer())
    let isSent = false
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (isSent) return controller.error(new TypeError("terminated"))
          isSent = true
          controller.enqueue(text.subarray(0, bytes))
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(body, whole)
  }
}

/** Never answers; a `fetch` that minds its signal. */
export const SILENT: Answer = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true })
  })

export function toDigest(bytes: Uint8Array): string {
  return `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`
}

/** Headers of an artifact's bytes. */
export function describeBytes(bytes: Uint8Array): Record<string, string> {
  return {
    "content-type": "image/png",
    "content-length": String(bytes.length),
    etag: `"${createHash("sha256").update(bytes).digest("hex")}"`,
    "repr-digest": toDigest(bytes),
  }
}

/** What `work` fails with. */
export function fails(work: Promise<unknown>): Promise<ApiError> {
  return work.then(
    () => assert.fail("it did not fail"),
    (error: unknown) => (isApiError(error) ? error : assert.fail(String(error))),
  )
}
