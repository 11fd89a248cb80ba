/**
 * Asks the bucket, again where it throttles or can't be reached; every body is in memory, so every
 * request can be sent again. An answer that time won't mend is data, with its status and code: only
 * the caller knows what a refusal means. A 200 can be one too: S3 answers so before it has
 * finished, and then writes an error.
 */
import { hash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { isSafelightError, type SafelightError } from "@safelight/core"
import type { AnswerBody } from "./answer-body.ts"
import { createPause, type Pause } from "./pause.ts"
import { readText } from "./read-text.ts"
import type { S3Settings } from "./s3-options.ts"
import { createSender, type HttpAnswer } from "./send-request.ts"
import { createSigner } from "./sign-request.ts"
import { createAborted, createUnavailable } from "./storage-failure.ts"
import { findRoot, findText } from "./xml-text.ts"

export interface Payload {
  readonly bytes: Uint8Array
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

export interface BucketRequest {
  /** What is done, for errors and logs. */
  readonly operation: string
  readonly method: "DELETE" | "GET" | "HEAD" | "POST" | "PUT"
  /** Below the prefix; the bucket itself where there is none. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Payload
  readonly signal?: AbortSignal
  /** Leaves the body of a 2xx to the caller. */
  readonly isStreamed?: boolean
  /** In place of those of the options. */
  readonly patience?: { readonly tries: number; readonly idleTimeoutMs: number }
}

export interface BucketAnswer {
  readonly operation: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Of the error document, where the answer is one. */
  readonly code: string | undefined
  /** Empty where the answer is streamed. */
  readonly text: string
  /** To be closed; only of a 2xx asked for as a stream. */
  readonly body?: AnswerBody
}

export interface Bucket {
  /** Before every key, with its slash. */
  readonly prefix: string
  /** Rejects with `artifacts-unavailable` after the last try, `aborted` on the signal. */
  ask(request: BucketRequest): Promise<BucketAnswer>
  /** Waits before try number `attempt` + 1. Rejects with `aborted`. */
  readonly pause: Pause
}

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** With whatever status: a body damaged or lost on its way has 400, and a late error 200. */
const TRANSIENT_CODES: ReadonlySet<string | undefined> = new Set([
  "BadDigest",
  "IncompleteBody",
  "InternalError",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown",
  "XAmzContentSHA256Mismatch",
])

const EMPTY: Payload = { bytes: new Uint8Array(), sha256: hash("sha256", "") }

export function createBucket(settings: S3Settings): Bucket {
  const { bucketUrl, clock, log, prefix } = settings
  const send = createSender()
  const sign = createSigner({ ...settings, now: () => clock.now() })
  const pause = createPause(settings)

  async function sendOnce(request: BucketRequest): Promise<BucketAnswer> {
    const { method, body = EMPTY, signal } = request
    const url = `${bucketUrl}${toPath(prefix, request)}`
    const unsigned = { method, url, headers: request.headers ?? {}, bodySha256: body.sha256 }
    const headers = await sign(unsigned)
    const { idleTimeoutMs } = request.patience ?? settings
    return toAnswer(
      request,
      await send({ method, url, headers, body: body.bytes, idleTimeoutMs, signal }),
    )
  }

  return {
    prefix,
    pause,
    async ask(request) {
      const { operation } = request
      const { tries } = request.patience ?? settings
      for (let attempt = 1; ; attempt += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one try after the other
        const outcome = await sendOnce(request).catch(toOutcome)
        const failure = toTransientFailure(outcome)
        if (failure === undefined) return outcome as BucketAnswer
        log.warn({ operation, attempt, reason: failure.message }, "a request to the bucket failed")
        if (attempt >= tries) throw failure
        // oxlint-disable-next-line no-await-in-loop
        await pause(attempt, request.signal)
      }
    },
  }
}

export function isFine({ status, code }: BucketAnswer): boolean {
  return status >= 200 && status < 300 && code === undefined
}

/** Passes a 2xx on; throws `artifacts-unavailable` otherwise, saying the status and the code. */
export function expectFine(answer: BucketAnswer): BucketAnswer {
  if (isFine(answer)) return answer
  throw toRefusal(answer)
}

export function toRefusal({ operation, status, code }: BucketAnswer): SafelightError {
  return createUnavailable(
    `${operation} was answered ${status}${code === undefined ? "" : ` ${code}`}`,
  )
}

function toPath(prefix: string, { key, query = {} }: BucketRequest): string {
  const parameters = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  )
  const search = parameters.length === 0 ? "" : `?${parameters.join("&")}`
  // The one thing in a key that a URL escapes.
  const path = key === undefined ? "" : `/${prefix}${key.replaceAll("%", "%25")}`
  return `${path}${search}`
}

async function toAnswer(request: BucketRequest, answer: HttpAnswer): Promise<BucketAnswer> {
  const { operation } = request
  const { status, headers, body } = answer
  if (request.isStreamed === true && status >= 200 && status < 300) {
    return { operation, status, headers, code: undefined, text: "", body }
  }
  try {
    const text = await readText(body)
    return { operation, status, headers, code: toCode(text), text }
  } finally {
    body.close()
  }
}

/** Letters only, as nearly all of S3's are: nothing else of an error document is ever repeated. */
function toCode(text: string): string | undefined {
  if (findRoot(text) !== "Error") return undefined
  const code = findText(text, "Code") ?? ""
  return TRANSIENT_CODES.has(code) || /^[A-Za-z]{1,64}$/.test(code) ? code : "of no known form"
}

/** What can be tried again is an outcome like any other; the rest is thrown on. */
function toOutcome(error: unknown): SafelightError {
  if (isSafelightError(error) && error.code === "artifacts-unavailable") return error
  throw error
}

function toTransientFailure(outcome: BucketAnswer | SafelightError): SafelightError | undefined {
  if (isSafelightError(outcome)) return outcome
  const isTransient = TRANSIENT_STATUSES.has(outcome.status) || TRANSIENT_CODES.has(outcome.code)
  return isTransient ? toRefusal(outcome) : undefined
}

/** Ends what the caller called off. */
export function throwIfAborted(signal: { readonly aborted: boolean } | undefined): void {
  if (signal?.aborted === true) throw createAborted()
}
