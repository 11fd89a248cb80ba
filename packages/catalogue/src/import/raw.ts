/** Parsed JSON of which nothing is known yet: members are its own, whatever their names. */

export type Raw = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Through objects and their own members; undefined if there is none. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  let found = value
  for (const name of names) {
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return found
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}
