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

export function jsonResponse(answer: JsonAnswer): Response {
  const headers: Record<string, string> = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": answer.requestId,
  }
  if (answer.headers !== undefined) Object.assign(headers, answer.headers)
  if (answer.method !== "HEAD") {
    return new Response(answer.text, { status: answer.status, headers })
  }
  headers["content-length"] = String(new TextEncoder().encode(answer.text).length)
  return new Response(null, { status: answer.status, headers })
}
