/** Reading answers: members that are there, of the type that they must have. */
import type { Json } from "@safelight/core"

/** The member at `path`; undefined where there is none. */
export function at(
  value: Json | undefined,
  ...path: readonly (string | number)[]
): Json | undefined {
  let found: Json | undefined = value
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined
    found = (found as Readonly<Record<string, Json>>)[key]
  }
  return found
}

/** The same where it is a text. */
export function textAt(
  value: Json | undefined,
  ...path: readonly (string | number)[]
): string | undefined {
  const found = at(value, ...path)
  return typeof found === "string" ? found : undefined
}

/** The items of a list; none where it is no list. */
export function listAt(
  value: Json | undefined,
  ...path: readonly (string | number)[]
): readonly Json[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
