/**
 * The door itself: the official library's server, whose tools are calls of the task API by one client. It is the
 * same over standard input and over HTTP; what differs is the client's `fetch` and how long a session is.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ListToolsResult,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js"
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js"
import { ApiError, isApiError, type Client, type Task } from "@safelight/client"
import { toCallKey } from "../purchases/call-key.ts"
import type { Spending } from "../purchases/spending.ts"
import type { CallLimit } from "./call-limit.ts"
import { toErrorData, toErrorResult } from "../results/results.ts"
import type { ToolCall } from "../tools/tool.ts"
import { TOOLS } from "../tools/tools.ts"

export interface Door {
  readonly client: Client
  readonly version: string
  readonly spending: Spending
  /** How many requests are answered at once. */
  readonly limit: CallLimit
  /** Names the session; undefined if a caller has none. */
  readonly session: string | undefined
  readonly maxCostMicros?: number | undefined
  /** Whether the connection is gone: what ends then ends by itself and is not cancelled. */
  readonly isGone: () => boolean
  readonly stopping: AbortSignal
  /** An error that nobody expects. */
  readonly onError: (error: unknown) => void
}

const INSTRUCTIONS =
  "Makes images, video and sound. list_models tells what there is, quote what a task costs. A task that takes " +
  "longer than its call goes on: get_task waits for it. Each call buys. Call a tool again only if its answer is an " +
  "error, and if the error has a task_id, look with get_task first: that task may still go on. " +
  "After outcome_unknown a task may exist: look by its idempotency_key with get_task before you call again."

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

export function createMcpServer(door: Door): Server {
  const { client, limit, onError, version } = door
  const server = new Server(
    { name: "safelight", title: "Safelight", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR },
  )
  server.setRequestHandler(ListToolsRequestSchema, async (_request, { signal }) => {
    try {
      return await limit(() => listTools(client, signal))
    } catch (error) {
      throw isApiError(error) ? toProtocolError(error) : error
    }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = TOOLS.get(params.name)
    if (tool === undefined) {
      const name = params.name.slice(0, 100)
      throw new McpError(ErrorCode.InvalidParams, `there is no tool ${name}`)
    }
    try {
      return await limit(() => tool.run(toToolCall(door, params.arguments ?? {}, extra)))
    } catch (error) {
      if (extra.signal.aborted) throw error
      if (isApiError(error)) return toErrorResult(error)
      onError(error)
      return toErrorResult(OUR_FAULT)
    }
  })
  return server
}

/** The library compiles schemas for questions to a caller, and none is asked here. */
const NO_VALIDATOR = {
  getValidator: (): never => {
    throw new TypeError("nothing here is checked by a schema of the protocol")
  },
}

const OUR_FAULT = new ApiError({
  code: "internal_error",
  type: "api_error",
  message: "Something went wrong on our side.",
})

async function listTools(client: Client, signal: AbortSignal): Promise<ListToolsResult> {
  const models = await client.models({ signal })
  const tools = [...TOOLS.values()].flatMap(({ list, name }) => {
    const listed = list(models)
    return listed === undefined ? [] : [{ name, ...listed }]
  })
  return { tools }
}

/** A list has no place for an error of ours, so the protocol's own error has it as data. */
function toProtocolError(error: ApiError): McpError {
  const { code, message } = error
  return new McpError(ErrorCode.InternalError, `${message} (${code})`, toErrorData(error)["error"])
}

function toToolCall(door: Door, given: Readonly<Record<string, unknown>>, extra: Extra): ToolCall {
  const { client, isGone, maxCostMicros, onError, session, spending, stopping } = door
  const { requestId, signal } = extra
  let isCancelled = false
  const note = (): void => void (isCancelled = !isGone())
  signal.addEventListener("abort", note, { once: true })
  return {
    given,
    client,
    spending,
    key: toCallKey(session, requestId),
    maxCostMicros,
    signal,
    isCancelled: () => isCancelled,
    stopping,
    onError,
    report: toReport(extra, onError),
  }
}

/** Progress may only rise (MCP, "Progress"); undefined if the caller gave no token. */
function toReport(
  { _meta: meta, sendNotification }: Extra,
  onError: Door["onError"],
): ToolCall["report"] {
  const progressToken = meta?.progressToken
  if (progressToken === undefined) return undefined
  let last = -1
  return ({ progress, status, task_id: id }: Task) => {
    if (progress <= last) return
    last = progress
    const params = { progressToken, progress, total: 100, message: `${status}, task ${id}` }
    sendNotification({ method: "notifications/progress", params }).catch(onError)
  }
}
