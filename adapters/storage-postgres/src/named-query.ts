/** The store's statements as queries that are prepared once a connection. */
import type { Step } from "@safelight/store"

export interface NamedQuery {
  /** Prepared once a connection under this name; the server cuts names at 63 bytes. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

const names = new Map<string, string>()

export function toQuery({ statement: { sql }, values }: Step): NamedQuery {
  const name = names.get(sql) ?? `store ${names.size}`
  names.set(sql, name)
  return { name, text: sql, values }
}

/** Whether a value is a text that PostgreSQL can't hold. */
export function hasNul(value: unknown): boolean {
  return typeof value === "string" && value.includes("\0")
}
