/**
 * The fields of a form, read from a model's JSON Schema. What a schema says in a way that is not known here becomes a
 * field for JSON, so that every parameter can be sent.
 */
import type { ModelInfo } from "@safelight/client"

export type Scalar = string | number | boolean | null

export type FieldShape =
  | {
      readonly kind: "text"
      readonly minLength: number | undefined
      readonly maxLength: number | undefined
      readonly pattern: string | undefined
    }
  | {
      readonly kind: "choice"
      readonly options: readonly Scalar[]
      readonly preset: Scalar | undefined
    }
  | {
      readonly kind: "number"
      readonly isWhole: boolean
      readonly minimum: number | undefined
      readonly maximum: number | undefined
      readonly step: number | undefined
      readonly preset: number | undefined
    }
  | { readonly kind: "switch"; readonly preset: boolean | undefined }
  | { readonly kind: "colour" }
  | { readonly kind: "colours" }
  | {
      readonly kind: "media"
      readonly types: readonly string[]
      /** Of one file. */
      readonly maxBytes: number
      readonly isList: boolean
      readonly maxItems: number | undefined
    }
  | { readonly kind: "object"; readonly fields: readonly FormField[]; readonly constants: Values }
  | {
      readonly kind: "list"
      readonly item: FormField
      readonly minItems: number
      readonly maxItems: number | undefined
    }
  | { readonly kind: "union"; readonly options: readonly FormField[] }
  | { readonly kind: "json" }

export interface FieldBase {
  readonly name: string
  readonly title: string
  readonly isRequired: boolean
  /** Whether null may be sent, which is not the same as nothing. */
  readonly isNullable: boolean
  readonly hint: string | undefined
}

export type FormField = FieldBase & FieldShape

/** The parameters to be sent: what was filled in, and nothing else. */
export type Values = Readonly<Record<string, unknown>>

export interface Form {
  readonly fields: readonly FormField[]
  /** What has one value and must be sent. */
  readonly constants: Values
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}

/** What a reader fills in first comes first. */
const ORDER = [
  "text",
  "media",
  "choice",
  "union",
  "number",
  "colour",
  "colours",
  "switch",
  "object",
  "list",
  "json",
]

/** Deeper schemas are written as JSON: a form of forms of forms helps nobody. */
const MOST_DEPTH = 6

interface Reading {
  /** MIME types by the path of the member, lists implied: `elements.image_url`. */
  readonly media: ReadonlyMap<string, readonly string[]>
  readonly maxBytes: number
}

export function toForm(model: ModelInfo): Form {
  const media = new Map(
    model.media.map(({ param, data_url_types: types }) => [toMediaPath(param), types]),
  )
  const reading = { media, maxBytes: model.limits.data_url_bytes }
  return toMembers(model.parameters, reading, "")
}

/** `parameters.elements/image_url` and `parameters.elements[].image_url` as `elements.image_url`. */
function toMediaPath(param: string): string {
  return param
    .replace(/^parameters\./, "")
    .replaceAll("[]", "")
    .replaceAll("/", ".")
}

function toMembers(schema: Schema, reading: Reading, path: string): Form {
  const { properties = {}, required = [] } = schema
  const entries = Object.entries(properties)
  const fields = entries
    .filter(([, member]) => member.const === undefined)
    .map(([name, member]) => {
      const place = path === "" ? name : `${path}.${name}`
      return toField({ name, schema: member, isRequired: required.includes(name) }, reading, place)
    })
    .toSorted((one, other) => rank(one) - rank(other))
  const constants = entries.filter(
    ([name, member]) => member.const !== undefined && required.includes(name),
  )
  return {
    fields,
    constants: Object.fromEntries(constants.map(([name, member]) => [name, member.const])),
  }
}

function rank({ kind, isRequired }: FormField): number {
  return ORDER.indexOf(kind) - (isRequired ? ORDER.length : 0)
}

interface Named {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

function toField({ name, schema, isRequired }: Named, reading: Reading, path: string): FormField {
  const { isNullable, schema: bare } = withoutNull(schema)
  return {
    name,
    title: schema.title ?? toTitle(name),
    isRequired,
    isNullable,
    hint: schema.description ?? bare.description,
    ...toShape(bare, reading, path),
  }
}

interface Bare {
  readonly isNullable: boolean
  readonly schema: Schema
}

/** A nullable schema is the other schema, and null stands beside its field. */
function withoutNull(schema: Schema): Bare {
  const { type } = schema
  if (Array.isArray(type)) {
    const others = type.filter((each) => each !== "null")
    const [only] = others
    const isNullable = others.length < type.length
    if (others.length === 1 && only !== undefined) {
      return { isNullable, schema: { ...schema, type: only } }
    }
    return { isNullable, schema: { ...schema, type: others } }
  }
  const options = schema.anyOf ?? schema.oneOf
  if (options === undefined) return { isNullable: false, schema }
  const others = options.filter((each) => each.type !== "null" && each.const !== null)
  if (others.length === options.length) return { isNullable: false, schema }
  const { anyOf: _, oneOf: __, ...rest } = schema
  const [only] = others
  const isOne = others.length === 1 && only !== undefined
  return { isNullable: true, schema: isOne ? { ...only, ...rest } : { ...rest, anyOf: others } }
}

function toShape(schema: Schema, reading: Reading, path: string): FieldShape {
  const isDeep = path.split(".").length > MOST_DEPTH
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return toOptions(schema, options, isDeep ? undefined : reading, path)
  if (isColour(schema)) return { kind: "colour" }
  if (schema.type !== "array" && schema.type !== "object") return toSingle(schema, reading, path)
  if (isDeep) return { kind: "json" }
  if (schema.type === "array") return toList(schema, reading, path)
  if (schema.properties === undefined) return { kind: "json" }
  return { kind: "object", ...toMembers(schema, reading, path) }
}

/** Constants alone are a choice. */
function toOptions(
  schema: Schema,
  options: readonly Schema[],
  reading: Reading | undefined,
  path: string,
): FieldShape {
  const constants = options.map((each) => each.const)
  if (constants.every(isScalar)) {
    return { kind: "choice", options: constants, preset: toPreset(schema, isScalar) }
  }
  return reading === undefined ? { kind: "json" } : toUnion(options, reading, path)
}

function toUnion(options: readonly Schema[], reading: Reading, path: string): FieldShape {
  const fields = options.map((schema, index) => {
    const field = toField({ name: String(index), schema, isRequired: true }, reading, path)
    return { ...field, title: schema.title ?? toOptionTitle(field, schema) }
  })
  return { kind: "union", options: fields }
}

const KIND_WORDS: Readonly<Record<FieldShape["kind"], string>> = {
  text: "Text",
  choice: "One of a list",
  number: "Number",
  switch: "Yes or no",
  colour: "Colour",
  colours: "Colours",
  media: "A file or an address",
  object: "Several values",
  list: "A list",
  union: "Others",
  json: "JSON",
}

/** An object that is told apart by a constant is called by it, any other by its members. */
function toOptionTitle(field: FormField, { properties = {} }: Schema): string {
  if (field.kind !== "object") return KIND_WORDS[field.kind]
  const named = Object.values(properties).find(({ const: value }) => typeof value === "string")
  if (typeof named?.const === "string") return toTitle(named.const)
  const words = field.fields.map(({ title }) => title.toLowerCase()).join(", ")
  return `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`
}

function toList(schema: Schema, reading: Reading, path: string): FieldShape {
  const { items, maxItems, minItems = 0 } = schema
  const types = reading.media.get(path)
  if (types !== undefined) {
    return { kind: "media", types, maxBytes: reading.maxBytes, isList: true, maxItems }
  }
  if (items === undefined) return { kind: "json" }
  if (isColour(items)) return { kind: "colours" }
  const item = toField({ name: "item", schema: items, isRequired: true }, reading, path)
  return { kind: "list", item, minItems, maxItems }
}

function toSingle(schema: Schema, reading: Reading, path: string): FieldShape {
  const { enum: options, maxLength, minLength, pattern } = schema
  if (options?.every(isScalar) === true) {
    return { kind: "choice", options, preset: toPreset(schema, isScalar) }
  }
  const types = reading.media.get(path)
  switch (schema.type) {
    case "string":
      if (types === undefined) return { kind: "text", minLength, maxLength, pattern }
      return { kind: "media", types, maxBytes: reading.maxBytes, isList: false, maxItems: 1 }
    case "integer":
    case "number":
      return toNumber(schema)
    case "boolean":
      return { kind: "switch", preset: toPreset(schema, isSwitch) }
    case undefined:
    default:
      return { kind: "json" }
  }
}

function toNumber(schema: Schema): FieldShape {
  return {
    kind: "number",
    isWhole: schema.type === "integer",
    minimum: schema.minimum ?? schema.exclusiveMinimum,
    maximum: schema.maximum ?? schema.exclusiveMaximum,
    step: schema.multipleOf,
    preset: toPreset(schema, isNumber),
  }
}

function toPreset<Value>(
  { default: preset }: Schema,
  is: (value: unknown) => value is Value,
): Value | undefined {
  return is(preset) ? preset : undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === "number"
}

function isSwitch(value: unknown): value is boolean {
  return typeof value === "boolean"
}

export function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value)
}

function isColour({ type, properties = {} }: Schema): boolean {
  return type === "object" && Object.keys(properties).toSorted().join() === "b,g,r"
}

/** `image_urls` as "Image URLs". */
export function toTitle(name: string): string {
  const words = name
    .replaceAll("_", " ")
    .replace(/\burls\b/, "URLs")
    .replace(/\burl\b/, "URL")
  return `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`
}
