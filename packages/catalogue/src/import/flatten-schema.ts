/**
 * A schema of a provider's document without `$ref` and `allOf`: what it refers to stands in its place. References
 * within the document alone are followed, none to itself, and no more schemas are made than a model may have.
 */
import { splitPointer, toEcho } from "@safelight/core"
import { TooLarge, Untranslatable } from "./import-note.ts"
import { at, isList, isObject, type Raw } from "./raw.ts"

export interface Walk {
  readonly document: unknown
  /** Schemas that may still be made. */
  left: number
}

export interface Flat {
  readonly schema: Raw
  /** The references that were followed to get here. */
  readonly open: readonly string[]
}

/** Throws `Untranslatable` or `TooLarge`. */
export function flatten(raw: unknown, open: readonly string[], walk: Walk): Flat {
  walk.left -= 1
  if (walk.left < 0) throw new TooLarge("has too many schemas, with all that they refer to")
  if (!isObject(raw)) throw new Untranslatable("is no schema, and may be anything")
  const { $ref: ref, allOf, ...own } = raw
  const refs = ref === undefined ? [] : [follow(ref, open, walk)]
  const all = isList(allOf) ? allOf.map((each) => flatten(each, open, walk)) : []
  const parts = [...refs, ...all]
  if (parts.length === 0) return { schema: own, open }
  return {
    schema: merge([...parts.map(({ schema }) => schema), own]),
    open: [...new Set([...open, ...parts.flatMap((each) => each.open)])],
  }
}

function follow(ref: unknown, open: readonly string[], walk: Walk): Flat {
  const text = typeof ref === "string" ? ref : ""
  const names = text.startsWith("#/") ? splitPointer(text.slice(1)) : undefined
  if (names === undefined) {
    throw new Untranslatable(`refers to ${toEcho(text, 80)}, which is not in the document`)
  }
  if (open.includes(text)) throw new Untranslatable("refers to itself")
  const found = at(walk.document, ...names)
  if (found === undefined) {
    throw new Untranslatable(`refers to ${toEcho(text, 80)}, and the document has no such part`)
  }
  return flatten(found, [...open, text], walk)
}

/** Of these a second one would have to hold as well; of any other keyword the last said counts. */
const HELD: ReadonlySet<string> = new Set([
  "anyOf",
  "const",
  "enum",
  "format",
  "items",
  "multipleOf",
  "oneOf",
  "pattern",
  "properties",
  "type",
])
const LEAST: ReadonlySet<string> = new Set(["minItems", "minLength", "minimum", "exclusiveMinimum"])
const MOST: ReadonlySet<string> = new Set(["maxItems", "maxLength", "maximum", "exclusiveMaximum"])

/** One schema whose values fit every part. Throws `Untranslatable` if it can't be told. */
export function merge(parts: readonly Raw[]): Raw {
  const merged = new Map<string, unknown>()
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    merged.set(name, merged.has(name) ? mergeKeyword(name, merged.get(name), value) : value)
  }
  return Object.fromEntries(merged)
}

function mergeKeyword(name: string, before: unknown, after: unknown): unknown {
  if (before === after) return after
  const both =
    typeof before === "number" && typeof after === "number"
      ? mergeNumbers(name, before, after)
      : isList(before) && isList(after)
        ? mergeLists(name, before, after)
        : undefined
  if (both !== undefined) return both
  if (name === "properties" && isObject(before) && isObject(after)) {
    return mergeProperties(before, after)
  }
  if (!HELD.has(name)) return after
  throw new Untranslatable(`says ${name} in two ways`)
}

function mergeNumbers(name: string, before: number, after: number): number | undefined {
  if (LEAST.has(name)) return Math.max(before, after)
  return MOST.has(name) ? Math.min(before, after) : undefined
}

function mergeLists(
  name: string,
  before: readonly unknown[],
  after: readonly unknown[],
): readonly unknown[] | undefined {
  if (name === "required") return [...new Set([...before, ...after])]
  const both = new Set(after)
  return name === "enum" ? before.filter((value) => both.has(value)) : undefined
}

function mergeProperties(before: Raw, after: Raw): Raw {
  const merged = new Map(Object.entries(before))
  for (const [name, schema] of Object.entries(after)) {
    merged.set(name, merged.has(name) ? { allOf: [merged.get(name), schema] } : schema)
  }
  return Object.fromEntries(merged)
}
