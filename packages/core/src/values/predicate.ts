/**
 * A valibot schema as a predicate that copies nothing. Every event passes its schema when it is sealed
 * and when it is audited, and every record of an export when it is read. Valibot builds a new output
 * for that, which cost a tenth of a task. It still says what is wrong with a value.
 */
import type * as v from "valibot"

export type Predicate = (value: unknown) => boolean

/** The schemas that have a predicate; one of any other kind throws a TypeError. */
type Schema =
  | v.ArraySchema<v.GenericSchema, undefined>
  | v.BooleanSchema<undefined>
  | v.CustomSchema<unknown, undefined>
  | v.ExactOptionalSchema<v.GenericSchema, undefined>
  | v.LiteralSchema<v.Literal, undefined>
  | v.NullableSchema<v.GenericSchema, undefined>
  | v.NumberSchema<undefined>
  | v.PicklistSchema<readonly string[], undefined>
  | v.RecordSchema<v.GenericSchema<string>, v.GenericSchema, undefined>
  | v.StrictObjectSchema<v.ObjectEntries, undefined>
  | v.StringSchema<undefined>
  | v.UnionSchema<v.GenericSchema[], undefined>
  | v.VariantSchema<"kind", v.StrictObjectSchema<{ kind: v.GenericSchema }, undefined>[], undefined>

/** The validations that may follow a schema in a pipe. */
type Action =
  | v.CheckAction<unknown, undefined>
  | v.FiniteAction<number, undefined>
  | v.IntegerAction<number, undefined>
  | v.MaxLengthAction<string, number, undefined>
  | v.MaxValueAction<number, number, undefined>
  | v.MinLengthAction<string, number, undefined>
  | v.MinValueAction<number, number, undefined>
  | v.RegexAction<string, undefined>
  | v.SafeIntegerAction<number, undefined>

/** Whether a value fits `schema`, as `v.is` says. */
export function toPredicate(schema: v.GenericSchema): Predicate {
  if (!("pipe" in schema)) return toSchemaPredicate(schema as Schema)
  const [first, ...actions] = schema.pipe as readonly [Schema, ...Action[]]
  const fits = toPredicate(first)
  const requirements = actions.map(toRequirement)
  return (value) => {
    if (!fits(value)) return false
    for (const meets of requirements) if (!meets(value)) return false
    return true
  }
}

function toSchemaPredicate(schema: Schema): Predicate {
  switch (schema.type) {
    case "string":
    case "boolean":
      return (value) => typeof value === schema.type
    case "number":
      return (value) => typeof value === "number" && !Number.isNaN(value)
    case "literal":
      return (value) => value === schema.literal
    case "picklist":
      return (value) => schema.options.includes(value as string)
    case "custom":
      return (value) => schema.check(value)
    case "nullable": {
      const fits = toPredicate(schema.wrapped)
      return (value) => value === null || fits(value)
    }
    case "exact_optional":
      return toPredicate(schema.wrapped)
    case "union":
    case "variant": {
      const options = schema.options.map(toPredicate)
      return (value) => options.some((fits) => fits(value))
    }
    case "array": {
      const fits = toPredicate(schema.item)
      return (value) => Array.isArray(value) && value.every(fits)
    }
    case "record":
      return toRecordPredicate(toPredicate(schema.key), toPredicate(schema.value))
    case "strict_object":
      return toObjectPredicate(schema.entries)
    default:
      throw new TypeError(`there is no predicate of ${(schema as v.GenericSchema).type}`)
  }
}

function toRequirement(action: Action): Predicate {
  switch (action.type) {
    case "check":
      return (value) => action.requirement(value)
    case "finite":
    case "integer":
    case "safe_integer":
      return (value) => action.requirement(value as number)
    case "max_length":
      return (value) => (value as string).length <= action.requirement
    case "min_length":
      return (value) => (value as string).length >= action.requirement
    case "max_value":
      return (value) => (value as number) <= action.requirement
    case "min_value":
      return (value) => (value as number) >= action.requirement
    case "regex":
      return (value) => action.requirement.test(value as string)
    default:
      throw new TypeError(`there is no predicate of ${(action as v.GenericValidation).type}`)
  }
}

function toRecordPredicate(fitsKey: Predicate, fitsValue: Predicate): Predicate {
  return (value) => {
    if (!isObject(value)) return false
    for (const key in value) if (!fitsKey(key) || !fitsValue(value[key])) return false
    return true
  }
}

function toObjectPredicate(entries: v.ObjectEntries): Predicate {
  const members = new Map(
    Object.entries(entries).map(([key, schema]) => [
      key,
      { fits: toPredicate(schema), isRequired: schema.type !== "exact_optional" },
    ]),
  )
  const required = [...members.values()].filter(({ isRequired }) => isRequired).length
  return (value) => {
    if (!isObject(value)) return false
    let found = 0
    for (const key in value) {
      const member = members.get(key)
      if (member === undefined || !member.fits(value[key])) return false
      if (member.isRequired) found += 1
    }
    return found === required
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}
