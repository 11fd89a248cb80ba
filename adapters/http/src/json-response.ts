/**
 * Every JSON answer, from ready text. Headers are one plain object literal, because Node's server
 * writes such an object as it stands; a `Headers` instance would cost more than the rest.
 */
export interface JsonAnswer {
  readonly status: number
  readonly text: string
  readonly requestId: string
  /** HEAD leaves the text out and states its length. */
  readonly method: string
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Left on an answer, since to ask it for its headers would make Node's server write it the slow way. */
const TEXT = Symbol("text of an answer")
type Written = Response & { [TEXT]?: string }

export function jsonResponse(answer: JsonAnswer): Response {
  const headers: Record<string, string> = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": answer.requestId,
  }
  if (answer.headers !== undefined) Object.assign(headers, answer.headers)
  if (answer.method !== "HEAD") {
    const response: Written = new Response(answer.text, { status: answer.status, headers })
    response[TEXT] = answer.text
    return response
  }
  headers["content-length"] = String(toTextBytes(answer.text))
  return new Response(null, { status: answer.status, headers })
}

/** How long the body of an answer is that was made here; 0 for any other. */
export function toWrittenBytes(response: Written): number {
  const text = response[TEXT]
  return text === undefined ? 0 : toTextBytes(text)
}

/** In UTF-8. Node counts without encoding. */
export function toTextBytes(text: string): number {
  return globalThis.Buffer?.byteLength(text) ?? new TextEncoder().encode(text).length
}
