/** One request of JSON, as a client without any library makes it. */

export interface JsonAnswer {
  readonly status: number
  readonly headers: Headers
  /** Undefined if the body is empty or no JSON. */
  // A test reads what it expects; what is not there is undefined, and fails its comparison.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly text: string
}

export interface JsonCall {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A form is sent as one. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

export async function callJson(url: string, call: JsonCall = {}): Promise<JsonAnswer> {
  const { body, headers = {}, method = body === undefined ? "GET" : "POST", signal } = call
  const isJson = body !== undefined && !(body instanceof FormData)
  const response = await fetch(url, {
    method,
    headers: { ...(isJson && { "content-type": "application/json" }), ...headers },
    ...(isJson ? { body: JSON.stringify(body) } : body instanceof FormData ? { body } : {}),
    ...(signal === undefined ? {} : { signal }),
    redirect: "manual",
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parse(text), text }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
