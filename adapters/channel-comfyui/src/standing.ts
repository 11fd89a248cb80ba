/**
 * Where a prompt is: in the queue, or in the history. Both are in the server's memory alone: a restart loses
 * them, while saved files stay. A prompt in neither was never sent, was removed by hand, or was lost: in each
 * case it will not be made.
 *
 *   queue_pending ──▶ queue_running ──▶ history      never backwards, and always in one of them
 */
import type { AbortSignalLike } from "@safelight/core"
import { meaningless, type ComfyServer, type ServerReply } from "./comfy-server.ts"
import { isFields, type Fields } from "./graph.ts"

export type Standing =
  | { readonly kind: "queued" | "running" | "absent" }
  | { readonly kind: "over"; readonly entry: Fields }

/** Rejects, retryable, if the server's answers don't say it. */
export async function findStanding(
  server: ComfyServer,
  promptId: string,
  signal: AbortSignalLike,
): Promise<Standing> {
  const before = await findEntry(server, promptId, signal)
  if (before !== undefined) return { kind: "over", entry: before }
  const queued = await findInQueue(server, promptId, signal)
  if (queued !== undefined) return { kind: queued }
  // It may have ended between the two requests.
  const after = await findEntry(server, promptId, signal)
  return after === undefined ? { kind: "absent" } : { kind: "over", entry: after }
}

async function findEntry(
  server: ComfyServer,
  promptId: string,
  signal: AbortSignalLike,
): Promise<Fields | undefined> {
  const reply = await server.ask({ path: `/history/${encodeURIComponent(promptId)}`, signal })
  if (reply.status !== 200 || !isFields(reply.json)) throw meaningless(reply)
  const entry = reply.json[promptId]
  return isFields(entry) ? entry : undefined
}

async function findInQueue(
  server: ComfyServer,
  promptId: string,
  signal: AbortSignalLike,
): Promise<"queued" | "running" | undefined> {
  const reply = await server.ask({ path: "/queue", signal })
  const isIn = (name: string): boolean => {
    return listOf(reply, name).some((row) => Array.isArray(row) && row[1] === promptId)
  }
  // One answer holds both lists, so a prompt that moves between them is not missed.
  if (isIn("queue_running")) return "running"
  return isIn("queue_pending") ? "queued" : undefined
}

function listOf(reply: ServerReply, name: string): readonly unknown[] {
  const list = reply.status === 200 && isFields(reply.json) ? reply.json[name] : undefined
  if (Array.isArray(list)) return list
  throw meaningless(reply)
}
