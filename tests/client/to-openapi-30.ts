/**
 * The service's document in the words of OpenAPI 3.0, for the generator of the tests, which is older than 3.1. Examples
 * and rules for the names of members are left out.
 */

type Json = Readonly<Record<string, unknown>>

export function toOpenApi30(document: Json): Json {
  const { paths, ...converted } = convert(document) as { readonly paths: Record<string, Json> }
  const operations = Object.values(paths).flatMap((path) => Object.values(path)) as Operation[]
  const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
  // In 3.0 a body of any type has a schema too.
  for (const body of bodies) body.schema ??= { type: "string", format: "binary" }
  return { ...converted, paths, openapi: "3.0.3" }
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Json }>> }
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== "object" || value === null) return value
  const { const: only, examples: _, propertyNames: __, ...others } = value as Json
  // Names of members are no words of a schema.
  const converted = mapValues(others, (each, name) =>
    name === "properties" ? mapValues(each as Json, convert) : convert(each),
  )
  const constant = only === undefined ? {} : { enum: [only] }
  return { ...converted, ...constant, ...toNullableType(converted), ...toNullableChoice(converted) }
}

function mapValues(value: Json, map: (each: unknown, name: string) => unknown): Json {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, map(each, name)]))
}

/** Of `["string", "null"]`. */
function toNullableType({ type }: Json): Json {
  if (!Array.isArray(type)) return {}
  return { type: type.find((each) => each !== "null"), nullable: type.includes("null") }
}

/** Of a choice of null and something else. */
function toNullableChoice({ anyOf }: Json): Json {
  const choices = Array.isArray(anyOf) ? (anyOf as readonly Json[]) : []
  const others = choices.filter(({ type }) => type !== "null")
  if (others.length === choices.length) return {}
  return { anyOf: undefined, allOf: others, nullable: true }
}
