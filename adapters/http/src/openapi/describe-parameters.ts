/**
 * A model's parameters as JSON Schema. If one of them can't be described so, the error names it: no
 * client could know a parameter that the API document does not describe.
 */
import {
  DATA_URL_TYPES,
  mediaUrl,
  SafelightError,
  type MediaKind,
  type Model,
} from "@safelight/core"
import type { JsonSchema } from "@valibot/to-json-schema"
import type * as v from "valibot"
import { isLazy, toInputSchema } from "./json-schema.ts"

/** Throws `invalid-configuration`, naming the model and the parameter. */
export function describeParameters({
  described,
  id,
  parameters,
}: Pick<Model, "described" | "id" | "parameters">): JsonSchema {
  if (described !== undefined) return completeSchema(described)
  try {
    return toInputSchema(parameters)
  } catch (cause) {
    const at = Object.entries(listMembers(parameters)).find(([, member]) => !canDescribe(member))
    const place = at === undefined ? "parameters" : `parameters.${at[0]}`
    const message = `model ${id}: ${place} can't be described in the API document: ${toWords(cause)}`
    throw new SafelightError({ code: "invalid-configuration", message, cause })
  }
}

/** Says of media and of objects what the check knows of them. */
function completeSchema(schema: JsonSchema): JsonSchema {
  const { anyOf, items, oneOf, prefixItems, properties, type } = schema
  const kind: unknown = Reflect.get(schema, "x-media")
  const { description, pattern } = isMediaKind(kind) ? toInputSchema(mediaUrl(kind)) : {}
  return {
    ...(description !== undefined && { description }),
    ...schema,
    ...(pattern !== undefined && { pattern }),
    ...(type === "object" && { additionalProperties: false }),
    // An array of items is of older dialects; this one has `prefixItems`.
    ...(items !== undefined && !Array.isArray(items) && { items: complete(items) }),
    ...(prefixItems && { prefixItems: prefixItems.map(complete) }),
    ...(anyOf && { anyOf: anyOf.map(complete) }),
    ...(oneOf && { oneOf: oneOf.map(complete) }),
    ...(properties && { properties: completeAll(properties) }),
  }
}

type Part = JsonSchema | boolean

function complete(schema: Part): Part {
  return typeof schema === "boolean" ? schema : completeSchema(schema)
}

function completeAll(properties: Readonly<Record<string, Part>>): Record<string, Part> {
  const entries = Object.entries(properties)
  return Object.fromEntries(entries.map(([name, property]) => [name, complete(property)]))
}

function isMediaKind(kind: unknown): kind is MediaKind {
  return typeof kind === "string" && Object.hasOwn(DATA_URL_TYPES, kind)
}

function toWords(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Whether a text is matched with a pattern that isn't core's own. */
export function hasPattern(described: unknown): boolean {
  if (typeof described !== "object" || described === null) return false
  const pattern = "pattern" in described ? described.pattern : undefined
  const isOwn = typeof pattern === "string" && !isOfMedia({ pattern })
  return isOwn || Object.values(described).some(hasPattern)
}

/** Whether the schema of a text is that of core's `mediaUrl`, which bounds it. */
export function isOfMedia(described: { readonly pattern?: unknown }): boolean {
  return toMediaKind(described) !== undefined
}

/** The kind of media that a text addresses if its schema is that of core's `mediaUrl`; undefined if it is another. */
export function toMediaKind({ pattern }: { readonly pattern?: unknown }): MediaKind | undefined {
  kinds ??= new Map(
    Object.keys(DATA_URL_TYPES)
      .filter(isMediaKind)
      .map((kind) => [toInputSchema(mediaUrl(kind)).pattern, kind]),
  )
  return kinds.get(pattern)
}

/** By the pattern that describes them; what checks media is another. Made once, when first asked for. */
let kinds: ReadonlyMap<unknown, MediaKind> | undefined

function listMembers(schema: v.GenericSchema): Readonly<Record<string, v.GenericSchema>> {
  if (hasEntries(schema)) return schema.entries
  return isLazy(schema) ? listMembers(schema.getter(undefined)) : {}
}

interface WithEntries {
  readonly entries: Readonly<Record<string, v.GenericSchema>>
}

function hasEntries(schema: object): schema is WithEntries {
  return "entries" in schema && typeof schema.entries === "object" && schema.entries !== null
}

function canDescribe(schema: v.GenericSchema): boolean {
  try {
    toInputSchema(schema)
    return true
  } catch {
    return false
  }
}
