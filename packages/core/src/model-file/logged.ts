/** Which parameters go into the log: never one that could hold what a person wrote, since it stays there for ever. */
import { join, type Report } from "./fault.ts"
import { toOptions, type Schema } from "./schema.ts"

/** By default all that may. */
export function readLogged(raw: unknown, parameters: Schema, report: Report): readonly string[] {
  const { properties = {} } = parameters
  const mayBe = Object.keys(properties).filter((name) => mayBeLogged(properties[name] as Schema))
  if (raw === undefined) return mayBe
  if (!Array.isArray(raw) || raw.length > 1_000) {
    report("/logged", "must be a list of parameters")
    return []
  }
  for (const [at, name] of raw.entries()) {
    if (mayBe.includes(name)) continue
    const isKnown = typeof name === "string" && Object.hasOwn(properties, name)
    const reason = isKnown
      ? "may not be logged: only whole numbers, booleans and values of a list can't hold what a person wrote"
      : "is no parameter"
    report(join("/logged", at), reason)
  }
  return [...new Set(raw as readonly string[])]
}

function mayBeLogged(schema: Schema): boolean {
  return toOptions(schema).every(({ const: only, enum: values, type }) => {
    if (values !== undefined) return values.every(isLoggable)
    if (only !== undefined) return isLoggable(only)
    return type === "integer" || type === "boolean"
  })
}

function isLoggable(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value)
}
