/**
 * The Idempotency-Key of a purchase: a call that is repeated in its session has the same id, and so it is the same
 * purchase. Ids are unique within a session only, so a call without a session is a purchase of its own.
 */
import { createHash, randomUUID } from "node:crypto"

export function toCallKey(session: string | undefined, requestId: string | number): string {
  if (session === undefined) return `mcp-${randomUUID()}`
  // The id may have any length and any characters; 1 and "1" are two ids.
  const named = JSON.stringify([session, requestId])
  return `mcp-${createHash("sha256").update(named).digest("hex")}`
}
