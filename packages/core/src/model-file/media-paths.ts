/** Where a schema takes media: by path, as `elements/image_url`; lists and choices have no name of their own. */
import type { MediaKind } from "../models/media-url.ts"
import type { Report } from "./fault.ts"
import type { Schema } from "./schema.ts"

export function findMediaPaths(
  parameters: Schema,
  report: Report,
): Readonly<Record<string, MediaKind>> {
  const found: Record<string, MediaKind> = {}
  function walk(schema: Schema, path: string): void {
    const kind = schema["x-media"]
    if (kind !== undefined) {
      if ((found[path] ?? kind) === kind) found[path] = kind
      else report("/parameters", `takes media of two kinds at ${path}`)
    }
    for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) walk(option, path)
    if (schema.items !== undefined) walk(schema.items, path)
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      walk(property, path === "" ? name : `${path}/${name}`)
    }
  }
  walk(parameters, "")
  return found
}
