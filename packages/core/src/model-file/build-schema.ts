/**
 * The valibot schema of a checked schema: of the building blocks of the built-in models, so that its errors, defaults
 * and canonical order are theirs.
 */
import * as v from "valibot"
import { toCanonicalJson } from "../values/canonical-json.ts"
import { fields, text } from "../models/fields.ts"
import { mediaUrl } from "../models/media-url.ts"
import { FORMATS, LONGEST_FORMATTED } from "./formats.ts"
import { toOptions, type Schema, type TypeName } from "./schema.ts"

type Built = v.GenericSchema

export function buildSchema(schema: Schema): Built {
  if (schema.oneOf !== undefined) return choice(schema.oneOf, true)
  if (schema.anyOf !== undefined) return choice(schema.anyOf, false)
  if (schema.const !== undefined) return v.picklist([schema.const as string])
  if (schema.enum !== undefined) return v.picklist(schema.enum as readonly string[])
  const options = toOptions(schema)
  if (options.length > 1) return choice(options, false)
  return BUILDERS[[schema.type].flat()[0] as TypeName](schema)
}

const BUILDERS: Readonly<Record<TypeName, (schema: Schema) => Built>> = {
  object: buildObject,
  array: buildList,
  string: buildText,
  integer: (schema) => bounded(v.pipe(v.number(), v.integer()), schema),
  number: (schema) => bounded(v.number(), schema),
  boolean: () => v.boolean(),
  null: () => v.null(),
}

function buildObject({ properties = {}, required = [] }: Schema): Built {
  const entries = Object.entries(properties).map(([name, property]) => {
    const built = buildSchema(property)
    if (required.includes(name)) return [name, built] as const
    const optional = Object.hasOwn(property, "default")
      ? v.optional(built, property.default as never)
      : v.optional(built)
    return [name, optional] as const
  })
  return fields(Object.fromEntries(entries))
}

function buildList({ items, maxItems, minItems, uniqueItems }: Schema): Built {
  const actions: Action<unknown[]>[] = []
  if (minItems !== undefined) actions.push(v.minLength(minItems))
  if (maxItems !== undefined) actions.push(v.maxLength(maxItems))
  if (uniqueItems === true) actions.push(unique)
  return piped(v.array(buildSchema(items as Schema)), actions)
}

function buildText(schema: Schema): Built {
  const { format, maxLength, minLength = 0, pattern } = schema
  if (schema["x-media"] !== undefined) return mediaUrl(schema["x-media"])
  const actions: Action<string>[] = []
  const known = format === undefined ? undefined : FORMATS[format]
  if (known !== undefined) actions.push(matching("format", known.pattern, known.words))
  if (pattern !== undefined) {
    actions.push(matching("regex", new RegExp(pattern, "u"), `/${pattern}/`))
  }
  return piped(text(minLength, maxLength ?? LONGEST_FORMATTED), actions)
}

function bounded(base: v.GenericSchema<number>, schema: Schema): Built {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } = schema
  const actions: Action<number>[] = []
  if (minimum !== undefined) actions.push(v.minValue(minimum))
  if (maximum !== undefined) actions.push(v.maxValue(maximum))
  if (exclusiveMinimum !== undefined) actions.push(v.gtValue(exclusiveMinimum))
  if (exclusiveMaximum !== undefined) actions.push(v.ltValue(exclusiveMaximum))
  if (multipleOf !== undefined) actions.push(multiple(multipleOf))
  return piped(base, actions)
}

type Action<Value> = v.BaseValidation<Value, Value, v.BaseIssue<unknown>>

function piped<Value>(base: v.GenericSchema<Value>, actions: readonly Action<Value>[]): Built {
  return actions.length === 0 ? base : v.pipe(base, ...(actions as [Action<Value>]))
}

function validation<Value>(
  type: string,
  requirement: unknown,
  isRight: (value: Value) => boolean,
): Action<Value> {
  return {
    kind: "validation",
    type,
    reference: validation as never,
    async: false,
    expects: null,
    "~run"(dataset, config) {
      if (dataset.typed && !isRight(dataset.value)) {
        v._addIssue({ ...this, requirement } as never, type, dataset, config)
      }
      return dataset
    },
  }
}

function matching(type: "format" | "regex", pattern: RegExp, words: string): Action<string> {
  return validation(type, words, (value) => pattern.test(value))
}

/** Of decimals too, which binary division would miss. */
function multiple(step: number): Action<number> {
  return validation("multiple_of", step, (value) => {
    const times = value / step
    return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times))
  })
}

const unique: Action<unknown[]> = validation(
  "unique_items",
  undefined,
  (items) => new Set(items.map(toCanonicalJson)).size === items.length,
)

/**
 * A value that fits one of several schemas, or exactly one. What is wrong is told by the option that the value was
 * meant for: the only one of its JSON type.
 */
function choice(options: readonly Schema[], isExact: boolean): Built {
  const built = options.map((option) => ({
    schema: buildSchema(option),
    types: toOptions(option).flatMap(toTypeNames),
  }))
  const words = [...new Set(built.flatMap(({ types }) => types))].join(" or ")
  const schema = {
    ...v.custom<unknown>(() => false),
    type: "one_of",
    expects: words,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const { value } = dataset
      const runs = built.map((each) => each.schema["~run"]({ value }, config))
      const fits = runs.filter((run) => run.issues === undefined)
      const [fit] = fits
      if (fit !== undefined && (!isExact || fits.length === 1)) return fit
      const meant = runs.filter((_, at) => built[at]?.types.includes(toTypeName(value)))
      const [only] = meant
      if (only !== undefined && meant.length === 1 && fits.length === 0) return only
      const requirement = fits.length > 1 ? "several" : meant.length > 0 ? "none" : undefined
      v._addIssue({ ...schema, requirement } as never, "type", dataset, config)
      return dataset
    },
  }
  return schema as unknown as Built
}

function toTypeNames({ const: only, enum: values, type }: Schema): readonly string[] {
  if (values !== undefined) return values.map(toTypeName)
  if (only !== undefined) return [toTypeName(only)]
  return [type ?? []].flat().map((name) => (name === "integer" ? "number" : name))
}

function toTypeName(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}
