/**
 * Converts the schemas that check to JSON Schema 2020-12, and adds the checks of core's own that the
 * converter does not know. A lazy schema is described by the schema it gives for an absent value, inline
 * and without a name, so a form that only some inputs have must be described in words.
 */
import { toJsonSchema, toJsonSchemaDefs, type JsonSchema } from "@valibot/to-json-schema"
import { DATA_URL_TYPES, MEDIA_URL_LIMITS } from "@safelight/core"
import * as v from "valibot"

type Config = NonNullable<Parameters<typeof toJsonSchema>[1]>

/** The schema of the input. Throws if the schema contains something that can't be described. */
export function toInputSchema(schema: v.GenericSchema): JsonSchema {
  const described = toJsonSchema(schema, CONFIG)
  // The document names the dialect, and every lazy schema is inline.
  delete described.$schema
  delete described.$defs
  return described
}

/** Named schemas that refer to one another as components of an OpenAPI document. */
export function toComponents(
  schemas: Readonly<Record<string, v.GenericSchema>>,
): Record<string, JsonSchema> {
  return toJsonSchemaDefs(schemas, {
    ...CONFIG,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  })
}

const CONFIG: Config = {
  target: "draft-2020-12",
  typeMode: "input",
  errorMode: "throw",
  overrideSchema({ valibotSchema }) {
    if (!isLazy(valibotSchema)) return undefined
    return toInputSchema(valibotSchema.getter(undefined))
  },
  overrideAction({ valibotAction, jsonSchema }) {
    const requirement = "requirement" in valibotAction ? valibotAction.requirement : undefined
    switch (valibotAction.type) {
      // JSON Schema's lengths are code points too (2020-12 validation §6.3.1).
      case "min_code_points":
        return requirement === 0 ? jsonSchema : { ...jsonSchema, minLength: Number(requirement) }
      case "max_code_points":
        return { ...jsonSchema, maxLength: Number(requirement) }
      // No keyword speaks of lone surrogates.
      case "well_formed":
      // These change what was sent, and not what may be.
      case "to_lower_case":
      case "to_upper_case":
      case "trim":
      case "trim_end":
      case "trim_start":
        return jsonSchema
      case "metadata":
        return withoutFacts(jsonSchema)
      case "media_url":
        if (valibotAction.kind !== "validation") return undefined
        return { ...jsonSchema, ...toMediaUrlSchema(valibotAction) }
      default:
        return undefined
    }
  },
}

/** Without a body's name and example, which the document has in other places. */
function withoutFacts(described: JsonSchema): JsonSchema {
  const members = Object.entries(described)
  return Object.fromEntries(members.filter(([name]) => name !== "name" && name !== "example"))
}

interface Lazy {
  readonly getter: (input: unknown) => v.GenericSchema
}

export function isLazy(schema: object): schema is Lazy {
  return "getter" in schema && "type" in schema && schema.type === "lazy"
}

/** The check does not say which kind of media it is for, so it is asked with a sample of each. */
function toMediaUrlSchema(action: v.GenericValidation<string>): JsonSchema {
  const schema = v.pipe(v.string(), action)
  const types = Object.values(DATA_URL_TYPES)
    .flat()
    .filter((type) => v.is(schema, `data:${type};base64,AAAA`))
  const { urlCharacters, dataUrlBytes } = MEDIA_URL_LIMITS
  return {
    pattern: `^(?:[Hh][Tt][Tt][Pp][Ss]?://|data:(?:${types.join("|")});base64,)`,
    description:
      `An http or https URL of at most ${urlCharacters} characters and without credentials, or a ` +
      `base64 data URL of at most ${dataUrlBytes} bytes, decoded: ${types.join(", ")}.`,
  }
}
