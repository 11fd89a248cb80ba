/**
 * A provider's schema as a model's file may have it: the closed set of keywords, everything bounded, media marked.
 * Null, by which a request says what leaving a parameter out says, is dropped. A part that can't be translated is
 * left out with a note, or ends what every request needs it for.
 */
import { joinPointer, SCHEMA_LIMITS } from "@safelight/core"
import { BOUNDS, DESCRIPTION_CHARACTERS, toUsualBounds } from "./bounds.ts"
import { isFinite } from "./finite.ts"
import { flatten, merge, type Walk } from "./flatten-schema.ts"
import { toShortName, Untranslatable, type ImportNote, type Note } from "./import-note.ts"
import { findMediaKind, isAddress } from "./media-kind.ts"
import { isList, isObject, textOf, type Raw } from "./raw.ts"

export interface Place {
  /** In the file. */
  readonly pointer: string
  /** Of the parameter; a list's items have that of the list. */
  readonly name: string
  /** What is said of the list, for its items. */
  readonly told: string
  readonly depth: number
  readonly open: readonly string[]
  readonly walk: Walk
  readonly note: Note
}

/** Throws `Untranslatable`, or `TooLarge`. */
export function translate(raw: unknown, place: Place): Raw {
  if (place.depth > SCHEMA_LIMITS.depth) {
    throw new Untranslatable(`is deeper than ${SCHEMA_LIMITS.depth} levels`)
  }
  const { open, schema } = flatten(raw, place.open, place.walk)
  const told = textOf(schema["description"]) || place.told
  return { ...build(schema, { ...place, open, told }), ...annotate(schema) }
}

function annotate({ default: byDefault, deprecated, description }: Raw): Raw {
  const words = textOf(description).trim()
  return {
    ...(byDefault !== undefined && byDefault !== null && { default: byDefault }),
    ...(words !== "" && { description: words.slice(0, DESCRIPTION_CHARACTERS).toWellFormed() }),
    ...(deprecated === true && { deprecated }),
  }
}

function build(schema: Raw, place: Place): Raw {
  const { anyOf, const: only, enum: values, oneOf } = schema
  if (isList(anyOf)) return buildChoice("anyOf", anyOf, schema, place)
  if (isList(oneOf)) return buildChoice("oneOf", oneOf, schema, place)
  if (isList(values)) return buildValues(values)
  if (only !== undefined) return buildValues([only])
  const types = listTypes(schema)
  if (types.length > 1) {
    const options = types.map((type) => ({ type }))
    return buildChoice("anyOf", options, { ...schema, type: undefined }, place)
  }
  const [type = ""] = types
  const builder = Object.hasOwn(BUILDERS, type) ? BUILDERS[type] : undefined
  if (builder === undefined) throw new Untranslatable("takes anything: it names no type")
  return builder(schema, place)
}

/** Without null. An object or a list may be known by its members. */
function listTypes({ items, properties, type }: Raw): readonly string[] {
  const named = [type].flat().filter((each) => typeof each === "string")
  if (named.length > 0) return named.filter((each) => each !== "null")
  if (isObject(properties)) return ["object"]
  return items === undefined ? [] : ["array"]
}

const SAID: ReadonlySet<string> = new Set(["default", "deprecated", "description", "title"])

/** What stands beside the options holds of each. */
function buildChoice(
  name: "anyOf" | "oneOf",
  options: readonly unknown[],
  schema: Raw,
  place: Place,
): Raw {
  const beside = Object.entries(schema).filter(
    ([key, value]) => key !== name && !SAID.has(key) && value !== undefined,
  )
  const { note, open, walk } = place
  const notes: ImportNote[] = []
  const built: Raw[] = []
  for (const option of options) {
    const pointer = joinPointer(place.pointer, name, built.length)
    const next = {
      ...place,
      pointer,
      depth: place.depth + 1,
      note: (each: ImportNote) => void notes.push(each),
    }
    try {
      const flat = flatten(option, open, walk)
      if (isNull(flat.schema)) continue
      const whole = merge([flat.schema, Object.fromEntries(beside)])
      built.push(translate(whole, { ...next, open: flat.open }))
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error
      notes.push({
        topic: "left-out",
        pointer: place.pointer,
        words: `an option that ${error.message}`,
      })
    }
  }
  const [first, ...others] = built
  if (first === undefined) throw new Untranslatable("has no option that a model can have")
  const isOne = others.length === 0
  const prefix = joinPointer(place.pointer, name, 0)
  for (const each of notes) {
    const isWithin = isOne && each.pointer.startsWith(prefix)
    const pointer = isWithin ? place.pointer + each.pointer.slice(prefix.length) : each.pointer
    note({ ...each, pointer })
  }
  return isOne ? first : { [name]: built }
}

function isNull({ const: only, enum: values, type }: Raw): boolean {
  if (isList(values)) return values.every((value) => value === null)
  return type === "null" || only === null
}

function buildValues(values: readonly unknown[]): Raw {
  if (values.length > SCHEMA_LIMITS.values) {
    throw new Untranslatable(`has more than ${SCHEMA_LIMITS.values} values`)
  }
  const kept = [...new Set(values)].filter((value) => value !== null)
  if (kept.length === 0) throw new Untranslatable("takes nothing but null")
  const strange = kept.find((value) => typeof value === "object")
  if (strange !== undefined) throw new Untranslatable("lists values that are objects")
  return { enum: kept }
}

type Builder = (schema: Raw, place: Place) => Raw

const BUILDERS: Readonly<Record<string, Builder>> = {
  object: buildObject,
  array: buildList,
  string: buildText,
  integer: (schema, place) => buildNumber("integer", schema, place),
  number: (schema, place) => buildNumber("number", schema, place),
  boolean: () => ({ type: "boolean" }),
}

/** As the provider shows them. */
function listNames(schema: Raw, properties: Raw): readonly string[] {
  const order = schema["x-fal-order-properties"]
  const places = new Map((isList(order) ? order : []).map((name, place) => [name, place] as const))
  const toPlace = (name: string): number => {
    const own = isObject(properties[name]) ? properties[name]["x-order"] : undefined
    return places.get(name) ?? (typeof own === "number" ? own : Infinity)
  }
  return Object.keys(properties).toSorted((a, b) => {
    const [first, second] = [toPlace(a), toPlace(b)]
    return first === second ? 0 : first - second
  })
}

const NAME = /^[A-Za-z_][\w.-]{0,99}$/

function buildObject(schema: Raw, place: Place): Raw {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  if (Object.keys(properties).length > SCHEMA_LIMITS.schemas) {
    throw new Untranslatable(`has more than ${SCHEMA_LIMITS.schemas} members`)
  }
  const required = listRequired(schema, properties)
  const built = listNames(schema, properties).flatMap((name) => {
    const property = buildProperty(properties[name], name, required.includes(name), place)
    return property === undefined ? [] : [[name, property] as const]
  })
  if (built.length === 0 && place.depth > 0) throw new Untranslatable("names no members")
  return {
    type: "object",
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(built),
  }
}

function listRequired({ required }: Raw, properties: Raw): readonly string[] {
  const names = (isList(required) ? required : []).filter((name) => typeof name === "string")
  const unknown = names.find((name) => !Object.hasOwn(properties, name))
  if (unknown === undefined) return [...new Set(names)]
  throw new Untranslatable(`needs ${toShortName(unknown)}, which it does not describe`)
}

/** Undefined if it is left out. */
function buildProperty(
  raw: unknown,
  name: string,
  isRequired: boolean,
  place: Place,
): Raw | undefined {
  const pointer = joinPointer(place.pointer, "properties", toShortName(name))
  try {
    if (!NAME.test(name) || name in Object.prototype) {
      throw new Untranslatable("has a name that no parameter may have")
    }
    return translate(raw, { ...place, pointer, name, told: "", depth: place.depth + 1 })
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    const { message, pointer: inner } = error
    if (isRequired) throw new Untranslatable(message, inner ?? pointer)
    const words = inner === undefined ? message : `needs ${inner}, which ${message}`
    place.note({ topic: "left-out", pointer, words })
    return undefined
  }
}

function buildList(schema: Raw, place: Place): Raw {
  const { items, maxItems, minItems, uniqueItems } = schema
  if (!isObject(items)) throw new Untranslatable("takes anything in its list")
  const pointer = joinPointer(place.pointer, "items")
  const item = translate(items, { ...place, pointer, depth: place.depth + 1 })
  const media = countMedia(item)
  const least = isCount(minItems) ? minItems : 0
  const stated = isCount(maxItems) ? maxItems : undefined
  const fit = media === 0 ? SCHEMA_LIMITS.items : Math.floor(SCHEMA_LIMITS.media / media)
  const most = Math.min(stated ?? Math.max(BOUNDS.items, least), fit)
  if (least > most) throw new Untranslatable(`needs more than ${fit} items`)
  if (most !== stated) noteBound(place, "maxItems", most)
  return {
    type: "array",
    maxItems: most,
    ...(least > 0 && { minItems: least }),
    ...(uniqueItems === true && { uniqueItems }),
    items: item,
  }
}

/** How many media a value may hold at one path. */
function countMedia(schema: Raw): number {
  if (schema["x-media"] !== undefined) return 1
  const options = [schema["anyOf"], schema["oneOf"]].filter(isList).flat()
  const members = isObject(schema["properties"]) ? Object.values(schema["properties"]) : []
  const found = [...options, ...members].filter(isObject).map(countMedia)
  const items = isObject(schema["items"])
    ? countMedia(schema["items"]) * Number(schema["maxItems"])
    : 0
  return Math.max(0, items, ...found)
}

/** A text of one of these is short by itself. */
const FORMATS: ReadonlySet<unknown> = new Set(["date", "date-time", "time", "ipv4", "ipv6", "uuid"])

function buildText(schema: Raw, place: Place): Raw {
  const { default: byDefault, format, maxLength, minLength, pattern } = schema
  if (format === "binary") throw new Untranslatable("is raw bytes")
  if (isAddress(place.name, schema)) {
    const kind = findMediaKind(place.name, place.told)
    if (kind !== undefined) return { type: "string", format: "uri", "x-media": kind }
    const words = "is an address of no certain kind, sent on as a text: add x-media if it is one"
    place.note({ topic: "check", pointer: place.pointer, words })
  }
  if (FORMATS.has(format)) return { type: "string", format }
  const least = isCount(minLength) ? minLength : 0
  const stated = isCount(maxLength) ? maxLength : undefined
  const usual = Math.max(BOUNDS.characters, least, Array.from(textOf(byDefault)).length)
  const most = Math.min(stated ?? usual, SCHEMA_LIMITS.characters)
  if (most !== stated) noteBound(place, "maxLength", most)
  return {
    type: "string",
    ...(least > 0 && { minLength: least }),
    maxLength: most,
    ...(typeof pattern === "string" && { pattern }),
  }
}

function buildNumber(type: "integer" | "number", schema: Raw, place: Place): Raw {
  const { default: byDefault, multipleOf } = schema
  const least = readBound(schema, "minimum", "exclusiveMinimum")
  const most = readBound(schema, "maximum", "exclusiveMaximum")
  const [usualLeast, usualMost] = toUsualBounds(place.name)
  const known = [byDefault, least?.value, most?.value].filter(isFinite)
  return {
    type,
    ...toBound(least, "minimum", Math.floor(Math.min(usualLeast, ...known)), place),
    ...toBound(most, "maximum", Math.ceil(Math.max(usualMost, ...known)), place),
    ...(isFinite(multipleOf) && multipleOf > 0 && { multipleOf }),
  }
}

interface NumberBound {
  readonly name: string
  readonly value: number
}

/** In an older form an exclusive bound is a flag beside the other one. */
function readBound(schema: Raw, name: string, exclusive: string): NumberBound | undefined {
  const [value, strict] = [schema[name], schema[exclusive]]
  if (isFinite(strict)) return { name: exclusive, value: strict }
  if (!isFinite(value)) return undefined
  return { name: strict === true ? exclusive : name, value }
}

/** The stated bound as far as a number can be told exactly; without one the usual. */
function toBound(stated: NumberBound | undefined, name: string, usual: number, place: Place): Raw {
  const { name: keyword, value } = stated ?? { name, value: usual }
  const safe = Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value))
  if (safe !== stated?.value) noteBound(place, keyword, safe)
  return { [keyword]: safe }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function noteBound({ note, pointer }: Place, keyword: string, value: number): void {
  note({ topic: "bounded", pointer: joinPointer(pointer, keyword), words: String(value) })
}
