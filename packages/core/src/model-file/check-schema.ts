/** Whether a schema is of the closed set that models are described in, and bounds everything that it takes. */
import { DATA_URL_TYPES } from "../models/media-url.ts"
import { isObject, join, type Report } from "./fault.ts"
import { FORMATS } from "./formats.ts"
import { findPatternFault } from "./pattern.ts"
import { ANNOTATIONS, SCHEMA_LIMITS, type Schema } from "./schema.ts"

type Raw = Readonly<Record<string, unknown>>

interface Keyword {
  /** The types whose values it is about; of every type if absent. */
  readonly of?: readonly string[]
  readonly is: (value: unknown) => boolean
  readonly words: string
}

const COUNT = { is: isCount, words: "must be a whole number from 0" }
const NUMBER = {
  of: ["integer", "number"],
  is: (value: unknown) =>
    Number.isFinite(value) && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER,
  words: "must be a number of at most 15 digits",
}
const OPTIONS = {
  is: (value: unknown) => isList(value, SCHEMA_LIMITS.options) && value.length > 0,
  words: `must be a list of 1 to ${SCHEMA_LIMITS.options} schemas`,
}
const WORDS = { is: (value: unknown) => typeof value === "string", words: "must be a text" }

const TYPES: ReadonlySet<unknown> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
])

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: { is: isType, words: "must be a type of JSON Schema, or a list of different ones" },
  properties: { of: ["object"], is: isObject, words: "must be an object of schemas" },
  required: { of: ["object"], is: isNames, words: "must be a list of different names" },
  additionalProperties: {
    of: ["object"],
    is: (value) => value === false,
    words: "must be false: a model takes what it names",
  },
  enum: {
    is: isValues,
    words: `must be a list of 1 to ${SCHEMA_LIMITS.values} different texts, numbers, booleans or null`,
  },
  const: { is: isScalar, words: "must be a text, a number, a boolean or null" },
  minLength: { of: ["string"], ...COUNT },
  maxLength: { of: ["string"], ...COUNT },
  pattern: {
    of: ["string"],
    is: (value) => typeof value === "string" && value.length <= SCHEMA_LIMITS.patternCharacters,
    words: `must be a text of at most ${SCHEMA_LIMITS.patternCharacters} characters`,
  },
  format: {
    of: ["string"],
    is: (value) => typeof value === "string" && (value === "uri" || Object.hasOwn(FORMATS, value)),
    words: `must be one of ${Object.keys(FORMATS).join(", ")}, or uri with x-media`,
  },
  "x-media": {
    of: ["string"],
    is: (value) => typeof value === "string" && Object.hasOwn(DATA_URL_TYPES, value),
    words: "must be image, video or audio",
  },
  minimum: NUMBER,
  maximum: NUMBER,
  exclusiveMinimum: NUMBER,
  exclusiveMaximum: NUMBER,
  multipleOf: {
    ...NUMBER,
    is: (value) => NUMBER.is(value) && Number(value) > 0,
    words: "must be a number above 0",
  },
  items: { of: ["array"], is: isObject, words: "must be a schema" },
  minItems: { of: ["array"], ...COUNT },
  maxItems: { of: ["array"], ...COUNT },
  uniqueItems: { of: ["array"], is: isBoolean, words: "must be true or false" },
  anyOf: OPTIONS,
  oneOf: OPTIONS,
  title: WORDS,
  description: WORDS,
  examples: { is: Array.isArray, words: "must be a list" },
  deprecated: { is: isBoolean, words: "must be true or false" },
  default: { is: () => true, words: "" },
}

/** Reports all that is wrong, by place. A request may have as many as `times` values of the schema. */
export function checkSchema(raw: unknown, pointer: string, report: Report, times = 1): void {
  if (!isObject(raw)) return report(pointer, "must be a schema, and an object")
  if (!checkKeywords(raw, pointer, report)) return
  const schema = raw as Schema
  if (schema.anyOf !== undefined || schema.oneOf !== undefined) {
    return checkChoice(raw, pointer, report, times)
  }
  if (schema.enum !== undefined || schema.const !== undefined) {
    return checkValues(raw, pointer, report)
  }
  if (schema.type === undefined) return report(pointer, "takes anything: name its type")
  for (const type of [schema.type].flat()) CHECKS[type]?.(schema, pointer, report, times)
}

/** Whether what they hold has the right form. */
function checkKeywords(raw: Raw, pointer: string, report: Report): boolean {
  const types = [raw["type"] ?? []].flat()
  let isRight = true
  const refuse = (at: string, reason: string): void => {
    isRight = false
    report(at, reason)
  }
  for (const [name, value] of Object.entries(raw)) {
    const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined
    if (keyword === undefined) refuse(join(pointer, name), "is no keyword that a model may use")
    else if (!keyword.is(value)) refuse(join(pointer, name), keyword.words)
    else if (keyword.of !== undefined && !keyword.of.some((type) => types.includes(type))) {
      refuse(join(pointer, name), `needs "type": "${keyword.of.join('" or "')}" beside it`)
    }
  }
  return isRight
}

function refuseBeside(raw: Raw, allowed: readonly string[], pointer: string, report: Report): void {
  for (const name of Object.keys(raw)) {
    if (allowed.includes(name) || ANNOTATIONS.has(name)) continue
    report(join(pointer, name), `may not stand beside ${allowed[0] ?? ""}`)
  }
}

function checkChoice(raw: Raw, pointer: string, report: Report, times: number): void {
  const name = raw["anyOf"] === undefined ? "oneOf" : "anyOf"
  refuseBeside(raw, [name], pointer, report)
  for (const [at, option] of (raw[name] as readonly unknown[]).entries()) {
    checkSchema(option, join(pointer, name, at), report, times)
  }
}

function checkValues(raw: Raw, pointer: string, report: Report): void {
  const name = raw["enum"] === undefined ? "const" : "enum"
  refuseBeside(raw, [name, "type"], pointer, report)
  const types = [raw["type"] ?? []].flat()
  if (types.length === 0) return
  for (const value of [raw[name]].flat()) {
    if (types.some((type) => isOfType(value, type))) continue
    report(join(pointer, name), `holds ${JSON.stringify(value)}, which is not of its type`)
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null
  if (type === "integer") return Number.isInteger(value)
  return typeof value === type
}

type Check = (schema: Schema, pointer: string, report: Report, times: number) => void

const CHECKS: Readonly<Record<string, Check>> = {
  object: checkObject,
  array: checkList,
  string: checkText,
  integer: checkNumber,
  number: checkNumber,
}

/** No slash, which divides the path of a medium. */
const NAME = /^[A-Za-z_][\w.-]{0,99}$/

const NAMED = "must be named by letters, digits and _ . - alone, and not as what every object has"

function checkObject(schema: Schema, pointer: string, report: Report, times: number): void {
  const { properties = {}, required = [] } = schema
  for (const [name, property] of Object.entries(properties)) {
    const at = join(pointer, "properties", name)
    if (!NAME.test(name) || name in Object.prototype) report(at, NAMED)
    checkSchema(property, at, report, times)
  }
  for (const [at, name] of required.entries()) {
    if (Object.hasOwn(properties, name)) continue
    report(join(pointer, "required", at), `names ${JSON.stringify(name)}, which is no property`)
  }
}

function checkList(schema: Schema, pointer: string, report: Report, times: number): void {
  const { items, maxItems, minItems = 0 } = schema
  if (items === undefined) report(pointer, "takes anything in its list: add items")
  else checkSchema(items, join(pointer, "items"), report, times * (maxItems ?? 1))
  if (maxItems === undefined) return report(pointer, "may have any number of items: add maxItems")
  const most = SCHEMA_LIMITS.items
  if (maxItems > most) report(join(pointer, "maxItems"), `must be at most ${most}`)
  if (minItems > maxItems) report(join(pointer, "minItems"), "is above maxItems")
}

function checkText(schema: Schema, pointer: string, report: Report, times: number): void {
  const { format, maxLength, minLength = 0, pattern } = schema
  if (schema["x-media"] !== undefined) return checkMedia(schema, pointer, report, times)
  if (format === "uri")
    return report(join(pointer, "format"), "needs x-media beside it: addresses are fetched")
  if (maxLength === undefined && format === undefined) {
    return report(pointer, "may have any length: add maxLength, or x-media if it is an address")
  }
  const most = maxLength ?? 64
  if (most > SCHEMA_LIMITS.characters) {
    return report(join(pointer, "maxLength"), `must be at most ${SCHEMA_LIMITS.characters}`)
  }
  if (minLength > most) report(join(pointer, "minLength"), "is above maxLength")
  const fault = pattern === undefined ? undefined : findPatternFault(pattern, most, times)
  if (fault !== undefined) report(join(pointer, "pattern"), fault)
}

function checkMedia(schema: Schema, pointer: string, report: Report, times: number): void {
  refuseBeside({ ...schema }, ["x-media", "type", "format"], pointer, report)
  if ((schema.format ?? "uri") !== "uri") report(join(pointer, "format"), "must be uri")
  if (times <= SCHEMA_LIMITS.media) return
  report(pointer, `may be ${times} media in one request: at most ${SCHEMA_LIMITS.media} are taken`)
}

function checkNumber(schema: Schema, pointer: string, report: Report): void {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = schema
  const least = minimum ?? exclusiveMinimum
  const most = maximum ?? exclusiveMaximum
  if (least === undefined || most === undefined) {
    return report(pointer, "may be any number: add minimum and maximum")
  }
  if (least > most) report(pointer, "has a least value above its greatest")
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean"
}

function isList(value: unknown, most: number): value is readonly unknown[] {
  return Array.isArray(value) && value.length <= most
}

function isType(value: unknown): boolean {
  const types = [value].flat()
  return types.length > 0 && types.every((type) => TYPES.has(type)) && isUnique(types)
}

function isNames(value: unknown): boolean {
  return isList(value, 1_000) && value.every((name) => typeof name === "string") && isUnique(value)
}

function isValues(value: unknown): boolean {
  return (
    isList(value, SCHEMA_LIMITS.values) &&
    value.length > 0 &&
    value.every(isScalar) &&
    isUnique(value)
  )
}

function isScalar(value: unknown): boolean {
  if (typeof value === "string") return value.length <= 1_000
  return value === null || typeof value === "boolean" || Number.isFinite(value)
}

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length
}
