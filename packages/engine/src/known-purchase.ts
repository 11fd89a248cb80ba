/**
 * Whether a handle is one on what a task follows or has delivered. A callback may name the same work in
 * other words than the answer to the call did: where both have an id, that decides.
 */
import { toCanonicalJson, type Json, type StreamHead } from "@safelight/core"

/** A failed task has delivered nothing, whatever it followed. */
export function isKnownPurchase(
  { task }: StreamHead,
  upstreamKey: string,
  operation: Json,
): boolean {
  if (task.state === "failed" || task.dispatch?.upstreamKey !== upstreamKey) return false
  const [known, asked] = [toId(task.operation), toId(operation)]
  if (known !== undefined && asked !== undefined) return known === asked
  return toCanonicalJson(task.operation) === toCanonicalJson(operation)
}

function toId(operation: Json): string | undefined {
  if (typeof operation !== "object" || operation === null || Array.isArray(operation)) return
  const id = (operation as Readonly<Record<string, Json>>)["id"]
  return typeof id === "string" ? id : undefined
}
