/**
 * The Idempotency-Key of a purchase: a call that is repeated in its session has the same id, and so it is the same
 * purchase. Ids are unique within a session only, so a call without a session is a purchase of its own. The task is
 * labelled with the key, since tasks are found by labels and not by their keys.
 */
import { createHash, randomUUID } from "node:crypto"

const LABEL = "mcp-call"

export function toCallLabels(key: string): Readonly<Record<string, string>> {
  return { [LABEL]: key }
}

/** As a list of tasks is asked for them. */
export function toCallFilter(key: string): readonly string[] {
  return [`${LABEL}=${key}`]
}

/** Whether it may be the key of a call. */
export function isCallKey(text: string): boolean {
  return /^mcp-[0-9a-f-]{36,64}$/.test(text)
}

export function toCallKey(session: string | undefined, requestId: string | number): string {
  if (session === undefined) return `mcp-${randomUUID()}`
  // The id may have any length and any characters; 1 and "1" are two ids.
  const named = JSON.stringify([session, requestId])
  return `mcp-${createHash("sha256").update(named).digest("hex")}`
}
