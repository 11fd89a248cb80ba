/**
 * The building blocks of parameter schemas. Objects are checked by own names only, so that
 * `__proto__` or `constructor` in a body is an unknown parameter like any other, and an array is
 * never taken for an object.
 */
import * as v from "valibot"

/** An object with exactly these members. */
export function fields<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.GenericSchema<
  v.InferInput<v.StrictObjectSchema<Entries, undefined>>,
  v.InferOutput<v.StrictObjectSchema<Entries, undefined>>
> {
  // Sorted, so that what was checked is canonical JSON as it stands.
  const sorted = Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const bare = Object.assign(Object.create(null) as object, Object.fromEntries(sorted)) as Entries
  const schema = withFullIssues(v.strictObject(bare), Object.keys(entries))
  return v.lazy((input) => (Array.isArray(input) ? (noArray as unknown as typeof schema) : schema))
}

type ObjectSchema = v.StrictObjectSchema<v.ObjectEntries, undefined>

/**
 * Names every fault, in the order of `names`, then every unknown member: valibot goes by the order
 * of its entries and stops at the first unknown one.
 */
function withFullIssues<Schema extends ObjectSchema>(
  schema: Schema,
  names: readonly string[],
): Schema {
  return {
    ...schema,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const input = dataset.value
      const checked = schema["~run"](dataset, config)
      if (checked.issues === undefined || typeof input !== "object" || input === null) {
        return checked
      }
      addUnknown(schema, input as Record<string, unknown>, checked, config)
      checked.issues.sort((a, b) => rank(names, a) - rank(names, b))
      return checked
    },
  }
}

function addUnknown(
  schema: ObjectSchema,
  input: Record<string, unknown>,
  checked: v.UnknownDataset | v.OutputDataset<unknown, v.BaseIssue<unknown>>,
  config: v.Config<v.BaseIssue<unknown>>,
): void {
  const unknown = Object.entries(input).filter(([key]) => !Object.hasOwn(schema.entries, key))
  for (const [key, value] of unknown.slice(1)) {
    const path: [v.IssuePathItem] = [{ type: "object", origin: "key", input, key, value }]
    v._addIssue(schema, "key", checked, config, { input: key, expected: "never", path })
  }
}

function rank(names: readonly string[], { path }: v.BaseIssue<unknown>): number {
  const index = names.indexOf(String(path?.[0].key))
  return index < 0 ? names.length : index
}

const noArray = { ...v.custom<never>(() => false), expects: "Object" as const }

/** A string without lone surrogates; lengths are counted in code points (http-decisions §4). */
export function text(minCharacters: number, maxCharacters = Infinity): v.GenericSchema<string> {
  const base = v.pipe(v.string(), wellFormed, v.minCodePoints(minCharacters))
  return maxCharacters === Infinity ? base : v.pipe(base, v.maxCodePoints(maxCharacters))
}

const wellFormed: v.BaseValidation<string, string, v.BaseIssue<string>> = {
  kind: "validation",
  type: "well_formed",
  reference: text as never,
  async: false,
  expects: null,
  "~run"(dataset, config) {
    if (dataset.typed && !dataset.value.isWellFormed()) v._addIssue(this, "text", dataset, config)
    return dataset
  },
}

export function integer(minValue: number, maxValue: number): v.GenericSchema<number> {
  return v.pipe(v.number(), v.integer(), v.minValue(minValue), v.maxValue(maxValue))
}

/** The JSON object `{r,g,b}`, each component 0 to 255 and 0 when absent. */
const component = v.optional(integer(0, 255), 0)
const plainColour = fields({ r: component, g: component, b: component })

export type Colour = v.InferOutput<typeof plainColour>

/**
 * A colour under `name`. The specification's path repeats the name (§2.4), so the form
 * `{[name]: {r,g,b}}` is taken too, if that is the only member (http-decisions §4).
 */
export function colour(name: string): v.GenericSchema<unknown, Colour> {
  const doubled = v.pipe(
    fields({ [name]: plainColour }),
    v.transform((outer) => outer[name] as Colour),
  )
  return v.lazy((input) => (hasOnly(input, name) ? doubled : plainColour))
}

/** A list of colours under `name`, items of the doubled form flattened in order. */
export function colours(name: string): v.GenericSchema<unknown, Colour[]> {
  const doubled = v.pipe(
    fields({ [name]: v.array(plainColour) }),
    v.transform((outer) => outer[name] as Colour[]),
  )
  const item = v.lazy((input): v.GenericSchema<unknown, Colour | Colour[]> =>
    hasOnly(input, name) ? doubled : plainColour,
  )
  return v.pipe(
    v.array(item),
    v.transform((items) => items.flat()),
  )
}

function hasOnly(input: unknown, name: string): boolean {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return false
  const names = Object.keys(input)
  return names.length === 1 && names[0] === name
}
