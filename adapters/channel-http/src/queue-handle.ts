/**
 * The handle of fal's queue, which others hand out too: URLs that are kept as they came, for they can't
 * be built from the id.
 */
import type { Json } from "@safelight/core"
import { textAt } from "./json-path.ts"

/** Undefined where the answer holds none. */
export function readQueueHandle(json: Json | undefined): Json | undefined {
  const [id, state, result] = ["request_id", "status_url", "response_url"].map((name) =>
    textAt(json, name),
  )
  if (id === undefined || state === undefined || result === undefined) return undefined
  return { id, state, result, cancel: textAt(json, "cancel_url") ?? null }
}
