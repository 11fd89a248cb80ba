/** Puts in place of every `$ref` what it refers to within `$defs`, so that nothing else needs to know of it. */
import { isObject, join, split, type Report } from "./fault.ts"
import { ANNOTATIONS, SCHEMA_LIMITS } from "./schema.ts"

/** The keywords that hold several schemas. */
const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"])

/** In place of what was reported, so that it is reported once. */
const NOTHING = { type: "null" } as const

interface Walk {
  readonly root: unknown
  readonly report: Report
  /** Schemas that may still be made, and characters of what they hold. */
  left: number
  characters: number
}

/** Reports what can't be resolved, and leaves it out; undefined if there is too much. */
export function resolveRefs(root: unknown, pointer: string, report: Report): unknown {
  const walk: Walk = {
    root,
    report,
    left: SCHEMA_LIMITS.schemas,
    characters: SCHEMA_LIMITS.described,
  }
  const { $defs: _found, ...whole } = isObject(root) ? root : {}
  const schema = isObject(root) ? whole : root
  const made = resolveSchema(schema, pointer, { walk, open: [], depth: 0 })
  if (walk.left >= 0 && walk.characters >= 0) return made
  const most = `${SCHEMA_LIMITS.schemas} schemas or ${SCHEMA_LIMITS.described} characters`
  report(pointer, `has more than ${most}, with all that it refers to`)
  return undefined
}

interface Place {
  readonly walk: Walk
  /** The references that are being followed. */
  readonly open: readonly string[]
  readonly depth: number
}

function resolveSchema(schema: unknown, pointer: string, place: Place): unknown {
  const { depth, walk } = place
  walk.left -= 1
  if (walk.left < 0 || walk.characters < 0 || !isObject(schema)) return schema
  if (depth > SCHEMA_LIMITS.depth) {
    walk.report(pointer, `is deeper than ${SCHEMA_LIMITS.depth} levels`)
    return NOTHING
  }
  if (Object.hasOwn(schema, "$ref")) return follow(schema, pointer, place)
  const next = { ...place, depth: depth + 1 }
  const entries = Object.entries(schema).map(
    ([name, value]) => [name, resolveMember(name, value, join(pointer, name), next)] as const,
  )
  return Object.fromEntries(entries)
}

function resolveMember(name: string, value: unknown, pointer: string, place: Place): unknown {
  if (name === "items") return resolveSchema(value, pointer, place)
  if (LISTS.has(name) && Array.isArray(value)) {
    return value.map((option, at) => resolveSchema(option, join(pointer, at), place))
  }
  if (name !== "properties" || !isObject(value)) {
    place.walk.characters -= JSON.stringify(value).length
    return value
  }
  const entries = Object.entries(value).map(
    ([key, each]) => [key, resolveSchema(each, join(pointer, key), place)] as const,
  )
  return Object.fromEntries(entries)
}

function follow(schema: Readonly<Record<string, unknown>>, pointer: string, place: Place): unknown {
  const { $ref: ref, ...beside } = schema
  const { open, walk } = place
  const other = Object.keys(beside).find((name) => !ANNOTATIONS.has(name))
  if (other !== undefined) walk.report(join(pointer, other), "may not stand beside $ref")
  const found = typeof ref === "string" ? find(walk.root, ref) : undefined
  if (!isObject(found)) {
    walk.report(join(pointer, "$ref"), 'must name a schema of this file, as "#/$defs/colour"')
    return NOTHING
  }
  if (open.includes(String(ref))) {
    walk.report(join(pointer, "$ref"), "refers to itself")
    return NOTHING
  }
  const next = { ...place, open: [...open, String(ref)] }
  const made = resolveSchema(found, pointer, next)
  return isObject(made) ? { ...made, ...beside } : made
}

/** From the top of `parameters`. */
function find(root: unknown, ref: string): unknown {
  const names = ref.startsWith("#/$defs/") ? split(ref.slice(1)) : undefined
  let found: unknown = names === undefined ? undefined : root
  for (const name of names ?? []) {
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return found
}
