/**
 * Any JSON Schema as one of the closed set that takes no less: what else a schema says only narrows what is taken, and
 * is left to the library that it is of. So whatever bounds the reduced schema bounds the other too.
 */
import { isObject } from "./fault.ts"
import { FORMATS, LONGEST_FORMATTED } from "./formats.ts"

type Raw = Readonly<Record<string, unknown>>

export interface Reading {
  /** The kind of media that a text addresses; by default what `x-media` says. */
  readonly toKind?: (text: Raw) => unknown
  /** Whether an object takes members that it doesn't name unless it says no, as in JSON Schema; by default not. */
  readonly isOpen?: boolean
}

/** They stay as they are. */
const KEPT: ReadonlySet<string> = new Set([
  "type",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
])

export function reduceSchema(raw: unknown, reading: Reading): unknown {
  if (!isObject(raw)) return raw
  const { anyOf, oneOf, ...own } = mergeAll(raw)
  const options = anyOf ?? oneOf
  if (Array.isArray(options)) {
    return { anyOf: options.map((option) => reduceSchema(merge(own, option), reading)) }
  }
  if (own["enum"] !== undefined) return { enum: own["enum"] }
  if (own["const"] !== undefined) return { const: own["const"] }
  const { toKind = ({ "x-media": said }) => said } = reading
  const kind = toKind(own)
  if (kind !== undefined) return { type: own["type"], "x-media": kind }
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => KEPT.has(name)))
  const types = [own["type"]].flat()
  return {
    ...kept,
    ...(types.includes("object") && reduceObject(own, reading)),
    ...(types.includes("array") && reduceList(own, reading)),
    ...(types.includes("string") && reduceText(own)),
  }
}

/** With all of `allOf` in it. */
function mergeAll({ allOf, ...own }: Raw): Raw {
  if (!Array.isArray(allOf)) return own
  return allOf.map((each) => (isObject(each) ? mergeAll(each) : {})).reduce(merge, own)
}

/** What fits both fits it: of a keyword that both have it holds one, of members all. */
function merge(one: Raw, other: unknown): Raw {
  if (!isObject(other)) return one
  const named = [one["properties"], other["properties"]].filter(isObject)
  const required = [one["required"], other["required"]].filter(Array.isArray).flat()
  return {
    ...one,
    ...other,
    ...(named.length > 0 && {
      properties: Object.fromEntries(named.flatMap(Object.entries)),
    }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  }
}

function reduceObject(own: Raw, reading: Reading): Raw {
  const { additionalProperties, patternProperties, properties, required } = own
  const others = patternProperties === undefined ? additionalProperties : true
  const isTold = others !== undefined || reading.isOpen === true
  return {
    ...(required !== undefined && { required }),
    ...(isTold && { additionalProperties: others ?? true }),
    ...(properties !== undefined && {
      properties: isObject(properties)
        ? Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, reduceSchema(each, reading)]),
          )
        : properties,
    }),
  }
}

/** The items of a tuple may stand in any order: the library knows better. */
function reduceList(own: Raw, reading: Reading): Raw {
  const { items, prefixItems } = own
  if (!Array.isArray(prefixItems)) {
    return items === undefined ? {} : { items: reduceSchema(items, reading) }
  }
  const parts = [...prefixItems, ...(isObject(items) ? [items] : [])]
  return {
    items: { anyOf: parts.map((part) => reduceSchema(part, reading)) },
    ...(!isObject(items) && { maxItems: prefixItems.length }),
  }
}

function reduceText({ format, maxLength }: Raw): Raw {
  const isShort = typeof format === "string" && Object.hasOwn(FORMATS, format)
  return isShort && maxLength === undefined ? { maxLength: LONGEST_FORMATTED } : {}
}
