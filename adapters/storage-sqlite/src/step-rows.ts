/** The rows that one step of a plain change returned, each with its columns in their order. */
import assert from "node:assert/strict"
import type { SqlValue } from "@safelight/store"
import type { ChangeOutcome } from "./protocol.ts"

export function toRows(outcome: ChangeOutcome, step: number): readonly (readonly SqlValue[])[] {
  const rows = typeof outcome === "object" ? outcome[step] : undefined
  assert.ok(typeof rows === "object", "the step is one that returns rows")
  return rows
}
