/**
 * Keys by which a provider recognises a repeat. A key is valid for a time from its first use, and a repeat does not
 * renew it: after that the same request is another purchase.
 */
import type { Clock } from "@safelight/core"

/** The state of a key; `free` without a key. A `mismatch` was used by another request. */
export type KeyVerdict = "invalid" | "free" | "mismatch" | { readonly id: string }

type Header = string | readonly string[] | undefined

export interface IdempotencyKeys {
  judge(header: Header, request: unknown): KeyVerdict
  /** Remembers the purchase under the key; does nothing without a header. */
  keep(header: Header, request: unknown, id: string): void
}

interface Kept {
  readonly print: string
  readonly id: string
  readonly at: number
}

/** 1 to 255 visible ASCII characters. */
const KEY = /^[\x21-\x7e]{1,255}$/

export function createIdempotencyKeys(clock: Clock, ttlMs: number): IdempotencyKeys {
  const kept = new Map<string, Kept>()
  return {
    judge(header, request) {
      if (header === undefined) return "free"
      if (typeof header !== "string" || !KEY.test(header)) return "invalid"
      const known = kept.get(header)
      if (known === undefined || clock.now() >= known.at + ttlMs) return "free"
      return known.print === toPrint(request) ? { id: known.id } : "mismatch"
    },
    keep(header, request, id) {
      if (typeof header === "string")
        kept.set(header, { print: toPrint(request), id, at: clock.now() })
    },
  }
}

/** A text that is equal for equal requests: the order of members does not matter, that of items does. */
function toPrint(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
