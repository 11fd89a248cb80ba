/**
 * Sends one request and returns its answer, whatever the status. Redirects are not followed: they could
 * take the key to another host and send a submission twice. Every wait is limited by `silenceMs` and by the
 * caller's signal.
 */
import { clientError, isApiError } from "./api-error.ts"
import type { CheckedOptions } from "./client-options.ts"
import { untilSilent } from "./until-silent.ts"

export interface ApiRequest {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  /** From `/v1` on. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  /**
   * The body, to be read once. Rejects with `incomplete_answer` if it breaks off or stalls, and with the
   * signal's reason. A reader that stops early closes the connection.
   */
  readonly pieces: () => AsyncGenerator<Uint8Array, void, undefined>
  /** Closes the connection of an answer whose body is not read. */
  readonly cancel: () => void
}

/** Nobody sees it; without a reason each abort would make an exception with a stack. */
const OVER = "over"

/** Rejects with `no_answer`, with `invalid_answer` for a redirect, or with the signal's reason. */
export async function sendRequest(
  request: ApiRequest,
  { base, authorization, fetch, clock, settings }: CheckedOptions,
): Promise<ApiAnswer> {
  const { method, path, headers, body, signal } = request
  signal?.throwIfAborted()
  const connection = new AbortController()
  const patience = { clock, silenceMs: settings.silenceMs, signal }
  const ask = async (): Promise<Response> =>
    fetch(`${base}${path}`, {
      method,
      headers: { ...(authorization !== undefined && { authorization }), ...headers },
      redirect: "manual",
      signal: connection.signal,
      ...(body !== undefined && { body }),
    })
  const asked = ask()
  const response = await untilSilent(asked, patience).catch((error: unknown) => {
    connection.abort(OVER)
    // A `fetch` that ignores its signal may still answer.
    asked.then(endBody, () => {})
    signal?.throwIfAborted()
    throw isApiError(error) ? error : toNoAnswer(error)
  })
  // Otherwise the connection would stay open until the next piece is read.
  const stop = (): void => {
    connection.abort(OVER)
    endBody(response)
  }
  const link = { once: true, signal: connection.signal }
  signal?.addEventListener("abort", stop, link)

  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = response.body?.getReader()
    try {
      for (;;) {
        const piece = await untilSilent(read(reader), patience).catch((error: unknown) => {
          signal?.throwIfAborted()
          throw toIncomplete(response.status, error)
        })
        if (piece === undefined) return
        yield piece
      }
    } finally {
      connection.abort(OVER)
      reader?.cancel().catch(() => {})
    }
  }

  const isRedirect = response.type === "opaqueredirect" || isRedirection(response.status)
  if (isRedirect) {
    stop()
    const { status } = response
    throw clientError("invalid_answer", "the service's address redirects elsewhere", {
      ...(status !== 0 && { status }),
    })
  }
  return {
    status: response.status,
    headers: response.headers,
    pieces,
    cancel: stop,
  }
}

/** For a `fetch` that ignores its signal. It rejects if the body is being read: then its reader cancels it. */
function endBody({ body }: Response): void {
  body?.cancel().catch(() => {})
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
): Promise<Uint8Array | undefined> {
  const { value } = (await reader?.read()) ?? {}
  return value
}

/** 304 is no redirect, and nothing here asks for it. */
function isRedirection(status: number): boolean {
  return status >= 300 && status < 400
}

function toNoAnswer(cause: unknown): Error {
  const words = cause instanceof Error ? toWords(cause) : "the request failed"
  const message = `the service can't be reached (${words})`
  return clientError("no_answer", message, { isRetryable: true, cause })
}

/** A code says more than the message, which may just be "fetch failed". */
function toWords(error: Error): string {
  const { code } = (error.cause ?? error) as { readonly code?: unknown }
  return typeof code === "string" ? code : error.message
}

function toIncomplete(status: number, cause: unknown): Error {
  const words = isApiError(cause) ? cause.message : "the connection ended"
  const message = `the answer broke off: ${words}`
  return clientError("incomplete_answer", message, { status, isRetryable: true, cause })
}
