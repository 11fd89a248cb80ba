/**
 * A request as a stub's handlers see it. A stub serves all hosts of its provider: a path that begins
 * with the name of one of them, as in `/rest.fal.ai/storage/…`, has that host, and any other path
 * has none.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"

export interface StubCall {
  readonly method: string
  readonly host: string | null
  /** Without the host and the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** The parts that the pattern of the route names, decoded. */
  params: Readonly<Record<string, string>>
  readonly bytes: Buffer
  /** The body as JSON. Throws a SyntaxError, which the stub answers as the provider would. */
  json(): unknown
  /** The body as an object of JSON; a SyntaxError if it is anything else. */
  fields(): Readonly<Record<string, unknown>>
  /** The parts of a multipart body; a SyntaxError if it is none. */
  form(): Promise<FormData>
  /** Runs before the reply is sent. */
  beforeReply?: () => Promise<void>
}

/** Enough for a data URL of a provider's largest input. */
const MOST_BYTES = 128 * 1024 * 1024

/** The whole body; null if it has more than 128 MiB, once it was read to its end. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += (chunk as Buffer).length
    if (length <= MOST_BYTES) chunks.push(chunk as Buffer)
  }
  return length <= MOST_BYTES ? Buffer.concat(chunks) : null
}

export function createCall(
  request: IncomingMessage,
  bytes: Buffer,
  hosts: readonly string[],
): StubCall {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://stub")
  const [, first = ""] = pathname.split("/")
  const host = hosts.includes(first) ? first : null
  const json = (): unknown => JSON.parse(bytes.toString("utf8"))
  return {
    method: request.method ?? "GET",
    host,
    path: host === null ? pathname : pathname.slice(host.length + 1) || "/",
    query: searchParams,
    headers: request.headers,
    params: {},
    bytes,
    json,
    fields() {
      const value = json()
      if (!isObject(value)) throw new SyntaxError("the body is no object")
      return value
    },
    form: () => readForm(request.headers["content-type"] ?? "", bytes),
  }
}

async function readForm(type: string, bytes: Buffer): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), {
      headers: { "content-type": type },
    }).formData()
  } catch (error) {
    throw new SyntaxError("the body is no form", { cause: error })
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
