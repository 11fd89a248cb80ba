/**
 * The store's statements as queries. The name of one that is prepared is made of its text: whoever finds a statement
 * of that name in a session that others used before finds this one.
 */
import { createHash } from "node:crypto"
import type { Step } from "@safelight/store"

export interface Query {
  readonly text: string
  readonly values: readonly unknown[]
}

export interface NamedQuery extends Query {
  /** What it is prepared by; the server cuts names at 63 bytes. */
  readonly name: string
}

const names = new Map<string, string>()

export function toQuery({ statement: { sql }, values }: Step): NamedQuery {
  return { name: toName(sql), text: sql, values }
}

/** `kind` is for whoever looks at what a session has prepared. */
export function toName(sql: string, kind: "commit" | "safelight" = "safelight"): string {
  const known = names.get(sql)
  if (known !== undefined) return known
  const name = `${kind} ${createHash("sha256").update(sql).digest("base64url")}`
  names.set(sql, name)
  return name
}

/** Whether a value is a text that PostgreSQL can't hold. */
export function hasNul(value: unknown): boolean {
  return typeof value === "string" && value.includes("\0")
}
