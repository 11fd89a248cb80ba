/** A tool of the door: how it is listed, and what a call of it does. Each is a file in this folder. */
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js"
import type { Client, ModelInfo, Task } from "@safelight/client"
import type { Spending } from "../purchases/spending.ts"

export type InputSchema = ListedTool["inputSchema"]

export interface Tool {
  readonly name: string
  /** Undefined if the service serves no model that it could make. */
  readonly list: (models: readonly ModelInfo[]) => Omit<ListedTool, "name"> | undefined
  /** Rejects with an `ApiError`, or with the signal's reason. */
  readonly run: (call: ToolCall) => Promise<CallToolResult>
}

export interface ToolCall {
  readonly given: Readonly<Record<string, unknown>>
  readonly client: Client
  readonly spending: Spending
  /** The Idempotency-Key of what the call buys. */
  readonly key: string
  /** The most that one task may cost, in micro-units. */
  readonly maxCostMicros: number | undefined
  /** The caller asks for no answer any more. */
  readonly signal: AbortSignal
  /** Whether that is a wish to cancel the work, and not a connection that ended. */
  readonly isCancelled: () => boolean
  /** Waiting ends, and the caller is told of the task as it is. */
  readonly stopping: AbortSignal
  /** What the caller can't be told any more. */
  readonly onError: (error: unknown) => void
  /** Tells how far the task is; undefined if the caller does not ask. */
  readonly report: ((task: Task) => void) | undefined
}
