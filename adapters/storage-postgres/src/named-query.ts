/** The store's statements as queries that are prepared once a connection. */
import { bind, type SqlValues, type Statement } from "@safelight/store"

export interface NamedQuery {
  /** Prepared once a connection under this name; the server cuts names at 63 bytes. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

const names = new Map<string, string>()

export function toQuery(statement: Statement, values: SqlValues): NamedQuery {
  const { sql } = statement
  const name = names.get(sql) ?? `store ${names.size}`
  names.set(sql, name)
  return { name, text: sql, values: bind(statement, values) }
}

/** Whether a value is a text that PostgreSQL can't hold. */
export function hasNul(value: unknown): boolean {
  return typeof value === "string" && value.includes("\0")
}
