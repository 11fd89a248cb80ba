/** The part of JSON Schema 2020-12 that a model's parameters may be described in, with every `$ref` replaced. */
import type { MediaKind } from "../models/media-url.ts"

export type TypeName = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string"

export interface Schema {
  readonly type?: TypeName | readonly TypeName[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false
  readonly enum?: readonly Scalar[]
  readonly const?: Scalar
  readonly default?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly "x-media"?: MediaKind
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly deprecated?: boolean
}

export type Scalar = boolean | null | number | string

export const SCHEMA_LIMITS = {
  /** Levels of objects, lists and choices. */
  depth: 12,
  /** Schemas in all, counted anew wherever they are referred to. */
  schemas: 2_000,
  /** Characters of JSON, with what is referred to counted at each place. */
  described: 1024 * 1024,
  values: 1_024,
  options: 32,
  /** The longest text that is no medium. */
  characters: 1_000_000,
  items: 10_000,
  /** Each may be fetched and measured. */
  media: 100,
  patternCharacters: 500,
} as const

/** Words about a schema that check nothing. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "examples",
  "deprecated",
  "default",
])

/** The schemas of which a value must fit one; the schema itself if there is no choice. */
export function toOptions(schema: Schema): readonly Schema[] {
  if (schema.anyOf !== undefined || schema.oneOf !== undefined) {
    return [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(toOptions)
  }
  if (schema.type === undefined || typeof schema.type === "string") return [schema]
  if (schema.enum !== undefined || schema.const !== undefined) return [schema]
  return schema.type.map((type) => ({ ...schema, type }))
}
