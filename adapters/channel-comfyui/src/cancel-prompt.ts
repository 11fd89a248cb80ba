/**
 * Cancels a prompt: removes it from the queue, or interrupts it if it is running. An old server ignores the
 * id of an interruption and stops whichever prompt is running, so it is sent only while that is ours.
 */
import type { AbortSignalLike, CancelOutcome } from "@safelight/core"
import type { ComfyServer } from "./comfy-server.ts"
import { isFields } from "./graph.ts"
import { findStanding } from "./standing.ts"

/** Rejects, retryable, if the server's answers don't say where the prompt is. */
export async function cancelPrompt(
  server: ComfyServer,
  promptId: string,
  signal: AbortSignalLike,
): Promise<CancelOutcome> {
  const post = { method: "POST", signal } as const
  const before = await findStanding(server, promptId, signal)
  if (before.kind === "queued") {
    await server.ask({ ...post, path: "/queue", json: { delete: [promptId] } })
  }
  // It may have begun to run before it could be removed.
  const between = before.kind === "queued" ? await findStanding(server, promptId, signal) : before
  if (between.kind === "running") {
    await server.ask({ ...post, path: "/interrupt", json: { prompt_id: promptId } })
  }
  const after = between.kind === "running" ? await findStanding(server, promptId, signal) : between
  switch (after.kind) {
    case "absent":
      return "stopped"
    case "over":
      return isError(after.entry["status"]) ? "stopped" : "too-late"
    case "queued":
    case "running":
      // A node may finish its work before it notices.
      return "unknown"
  }
}

function isError(status: unknown): boolean {
  return isFields(status) && status["status_str"] === "error"
}
