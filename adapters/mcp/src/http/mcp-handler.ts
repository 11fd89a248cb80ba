/**
 * The door over HTTP ("Streamable HTTP" of the protocol). Nothing is kept between requests: each POST has a server
 * of its own, whose client calls the service's own handler with the caller's credentials, so an agent may do what
 * its key may do by the API and nothing else. A session is a name that the caller repeats; it makes repeated calls
 * known, and a cancellation find its call where both reach the same process.
 */
import { randomUUID } from "node:crypto"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { createClient, type Client, type FetchLike } from "@safelight/client"
import { endWith } from "@safelight/host"
import { DEFAULTS } from "../settings/defaults.ts"
import { createSpending } from "../purchases/spending.ts"
import { createCallLimit } from "../server/call-limit.ts"
import { createMcpServer } from "../server/mcp-server.ts"
import { readMessage } from "./read-message.ts"
import { createRunningCalls } from "./running-calls.ts"

export interface McpHandlerOptions {
  /** The task API, in this process. */
  readonly fetch: FetchLike
  readonly version: string
  readonly onError: (error: unknown) => void
}

export interface McpHttpRequest {
  readonly request: Request
  /** The body, parsed. */
  readonly message: unknown
  /** Whose key it is. */
  readonly account: string
  /** The most that one task may cost, in micro-units. */
  readonly maxCostMicros?: number | undefined
  /** Where clients reach the service: a page of any other origin is refused. */
  readonly publicUrl: string
  /** Nobody may be waiting any more: what waits for a task is answered with the task as it is. */
  readonly left: AbortSignal
  /** Called once the answer is over. */
  readonly onOver: () => void
}

export interface McpHandler {
  /** Resolves when the answer begins. */
  answer(request: McpHttpRequest): Promise<Response>
  /** Calls that wait for a task are answered with the task as it is. */
  end(): void
}

export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  const stopping = new AbortController()
  const running = createRunningCalls()
  return {
    end: () => stopping.abort(),
    async answer(question) {
      const { maxCostMicros, message, onOver, request } = question
      const read = readMessage(question)
      if (read.kind === "refused") {
        onOver()
        return read.response
      }
      if (read.kind === "cancelled") running.deliver(read.call, read.message)
      const isNew = read.kind === "beginning"
      const transport = new WebStandardStreamableHTTPServerTransport({
        ...(isNew && { sessionIdGenerator: () => randomUUID() }),
      })
      let isGone = false
      const server = createMcpServer({
        client: createCallerClient(options.fetch, request),
        version: options.version,
        // An account's budget and what the key may do are the service's own limits.
        spending: createSpending(),
        limit: createCallLimit(),
        session: read.session,
        maxCostMicros,
        isGone: () => isGone,
        stopping: AbortSignal.any([stopping.signal, question.left]),
        onError: options.onError,
      })
      await server.connect(transport)
      const forget = running.add(read.kind === "other" ? read.call : undefined, transport)
      const response = await transport.handleRequest(request, { parsedBody: message })
      return endWith(response, () => {
        isGone = true
        forget()
        onOver()
        void transport.close()
      })
    },
  }
}

/** Its requests never leave the process, so the address is nobody's. */
function createCallerClient(fetch: FetchLike, request: Request): Client {
  const authorization = request.headers.get("authorization") ?? ""
  return createClient({
    url: "http://safelight.invalid",
    key: authorization.replace(/^Bearer +/i, ""),
    settings: { longestRetryAfterMs: DEFAULTS.longestRetryAfterMs },
    fetch,
  })
}
