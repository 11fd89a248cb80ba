/**
 * An account's tasks, newest first. A model that the engine does not have is refused and not taken
 * for one without tasks: who looks whether a task was made must not be told "no" for a slip.
 */
import type { ListRequest, ListResult } from "@safelight/core"
import type { Ports } from "./ports.ts"

export async function listTasks(
  { models, storage }: Pick<Ports, "models" | "storage">,
  request: ListRequest,
): Promise<ListResult> {
  const { model } = request
  if (model !== undefined && !models.has(model)) {
    return { kind: "unknown-model", models: [...models.keys()] }
  }
  return { kind: "listed", ...(await storage.listTasks(request)) }
}
