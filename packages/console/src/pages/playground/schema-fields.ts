/**
 * The fields of a form, read from a model's JSON Schema. A parameter whose schema is of no known shape becomes a field
 * for JSON, so that a model of an operator's own can be used before the console knows better.
 */
import type { ModelInfo } from "@safelight/client"

export interface FieldBase {
  readonly name: string
  readonly isRequired: boolean
  readonly hint: string | undefined
}

export type FieldShape =
  | { readonly kind: "text"; readonly maxLength: number | undefined }
  | {
      readonly kind: "choice"
      readonly options: readonly string[]
      readonly preset: string | undefined
    }
  | {
      readonly kind: "number"
      readonly minimum: number | undefined
      readonly maximum: number | undefined
      readonly preset: number | undefined
    }
  | { readonly kind: "switch"; readonly preset: boolean | undefined }
  | { readonly kind: "colour" }
  | { readonly kind: "colours" }
  | {
      readonly kind: "media"
      readonly types: readonly string[]
      readonly maxItems: number | undefined
    }
  | { readonly kind: "json" }

export type FormField = FieldBase & FieldShape

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}

/** What a reader fills in first comes first. */
const ORDER = ["text", "media", "choice", "number", "colour", "colours", "switch", "json"]

export function toFields(model: ModelInfo): FormField[] {
  const { properties = {}, required = [] } = model.parameters as Schema
  const media = new Map(model.media.map(({ param, data_url_types: types }) => [param, types]))
  return Object.entries(properties)
    .filter(([, schema]) => schema.const === undefined)
    .map(([name, schema]) => ({
      name,
      isRequired: required.includes(name),
      hint: schema.description,
      ...toShape(schema, media.get(`parameters.${name}`)),
    }))
    .toSorted((one, other) => rank(one) - rank(other))
}

function rank({ kind, isRequired }: FormField): number {
  return ORDER.indexOf(kind) - (isRequired ? ORDER.length : 0)
}

function toShape(schema: Schema, mediaTypes: readonly string[] | undefined): FieldShape {
  const { type, items, maxItems } = schema
  if (type === "array") {
    if (mediaTypes !== undefined) return { kind: "media", types: mediaTypes, maxItems }
    return items !== undefined && isColour(items) ? { kind: "colours" } : { kind: "json" }
  }
  return isColour(schema) ? { kind: "colour" } : toSingle(schema)
}

function toSingle(schema: Schema): FieldShape {
  const { default: preset, minimum, maximum, maxLength } = schema
  if (schema.enum?.every(isText) === true) {
    return { kind: "choice", options: schema.enum, preset: isText(preset) ? preset : undefined }
  }
  switch (schema.type) {
    case "string":
      return { kind: "text", maxLength }
    case "integer":
      return { kind: "number", minimum, maximum, preset: isNumber(preset) ? preset : undefined }
    case "boolean":
      return { kind: "switch", preset: isSwitch(preset) ? preset : undefined }
    case undefined:
    default:
      return { kind: "json" }
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === "number"
}

function isSwitch(value: unknown): value is boolean {
  return typeof value === "boolean"
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function isColour({ type, properties = {} }: Schema): boolean {
  return type === "object" && Object.keys(properties).toSorted().join() === "b,g,r"
}

/** `image_urls` as "Image URLs". */
export function toTitle(name: string): string {
  const words = name.replaceAll("_", " ").replace(/\burls\b/, "URLs")
  return `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`
}

/** The parameters to be sent: what was filled in, and nothing else. */
export type Values = Readonly<Record<string, unknown>>

export function isComplete(fields: readonly FormField[], values: Values): boolean {
  return fields.every(({ name, isRequired }) => !isRequired || values[name] !== undefined)
}
