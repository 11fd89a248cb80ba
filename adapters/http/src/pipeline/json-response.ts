/**
 * Every JSON answer, from ready text. Headers are one plain object, because Node's server writes such an
 * object as it is; a `Headers` instance would cost more than the rest of the answer. No header is set on a
 * finished answer, which would make Node's server write it the slow way.
 */
import type { Exchange } from "./exchange.ts"

export interface JsonAnswer {
  readonly status: number
  readonly text: string
  readonly requestId: string
  /** HEAD leaves the text out and states its length. */
  readonly method: string
  /** Lower-case names; the later ones win. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly moreHeaders?: Readonly<Record<string, string>> | undefined
}

/** An answer to the exchange, with its headers among the answer's own: JSON, or no body without a text. */
export function respond(
  { headers: moreHeaders, method, requestId }: Pick<Exchange, "headers" | "method" | "requestId">,
  status: number,
  text: string | undefined,
  headers: Readonly<Record<string, string>> | undefined,
): Response {
  if (text !== undefined) {
    return jsonResponse({ status, text, requestId, method, headers, moreHeaders })
  }
  const bare = { "cache-control": "no-store", "x-request-id": requestId }
  return new Response(null, { status, headers: { ...bare, ...headers, ...moreHeaders } })
}

/** Kept on an answer: to read its headers would make Node's server write it the slow way. */
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
  if (answer.moreHeaders !== undefined) Object.assign(headers, answer.moreHeaders)
  if (answer.method !== "HEAD") {
    const response: Written = new Response(answer.text, { status: answer.status, headers })
    response[TEXT] = answer.text
    return response
  }
  headers["content-length"] = String(toTextBytes(answer.text))
  return new Response(null, { status: answer.status, headers })
}

/** The length of the body of an answer that was made here; 0 for any other. */
export function toWrittenBytes(response: Written): number {
  const text = response[TEXT]
  return text === undefined ? 0 : toTextBytes(text)
}

const ENCODER = new TextEncoder()
/** Scratch space for counting, large enough for nearly all answers. */
const COUNTED = new Uint8Array(16 * 1024)
/** A UTF-16 code unit is three bytes of UTF-8 at most. */
const MOST_BYTES = 3

/** In UTF-8. */
export function toTextBytes(text: string): number {
  const fits = text.length * MOST_BYTES <= COUNTED.length
  return fits ? ENCODER.encodeInto(text, COUNTED).written : ENCODER.encode(text).length
}
