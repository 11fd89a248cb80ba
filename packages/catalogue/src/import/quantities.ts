/** Which parameters say how many pieces are made and how long they are, in the words of a model's file. */
import { isFinite } from "./finite.ts"
import { isList, isObject, type Raw } from "./raw.ts"

/** `from` a parameter; `values` and `default` are for requests by which the provider decides. */
export interface Quantity {
  readonly from: string
  readonly values?: Readonly<Record<string, number>>
  readonly default?: number
  /** The most that it can be. */
  readonly most: number
}

/** A list of a provider's own words for "you decide", as `-1`, is short. */
const MOST_WORDS = 16

/** Undefined if the parameter's values don't all say a quantity. */
export function toQuantity(
  parameters: Raw,
  name: string,
  { isWhole }: { readonly isWhole: boolean },
): Quantity | undefined {
  const schema = findParameter(parameters, name)
  const values = schema && listValues(schema, isWhole)
  if (schema === undefined || values === undefined) return undefined
  const amounts = values.map(toAmount)
  const fit = amounts.filter(isFinite).filter((amount) => amount > 0)
  if (fit.length === 0 || (isWhole && fit.some((amount) => !Number.isSafeInteger(amount)))) {
    return undefined
  }
  const most = Math.max(...fit)
  const words = values.filter((_, at) => !((amounts[at] ?? 0) > 0))
  if (words.length > MOST_WORDS) return undefined
  const required = isList(parameters["required"]) ? parameters["required"] : []
  const isSure = required.includes(name) || schema["default"] !== undefined
  return {
    from: `/${name}`,
    ...(words.length > 0 && {
      values: Object.fromEntries(words.map((word) => [String(word), most] as const)),
    }),
    ...(!isSure && { default: most }),
    most,
  }
}

function findParameter({ properties }: Raw, name: string): Raw | undefined {
  const schema = isObject(properties) && Object.hasOwn(properties, name) && properties[name]
  return isObject(schema) ? schema : undefined
}

/** As the file has it. */
export function toFileQuantity({ from, most: _most, ...others }: Quantity): string | Raw {
  return Object.keys(others).length === 0 ? from : { from, ...others }
}

/** All values of lists, and of numbers the ends and whatever is not above zero. */
function listValues(schema: Raw, isWhole: boolean): readonly unknown[] | undefined {
  const { anyOf, enum: values, oneOf, type } = schema
  if (isList(values)) return values
  const options = isList(anyOf) ? anyOf : isList(oneOf) ? oneOf : undefined
  if (options !== undefined) {
    const all = options.map((option) =>
      isObject(option) ? listValues(option, isWhole) : undefined,
    )
    return all.every((each) => each !== undefined) ? all.flat() : undefined
  }
  if (type !== "integer" && (isWhole || type !== "number")) return undefined
  return listNumbers(schema)
}

function listNumbers(schema: Raw): readonly unknown[] | undefined {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, type } = schema
  const [least, most] = [minimum ?? exclusiveMinimum, maximum ?? exclusiveMaximum]
  if (!isFinite(least) || !isFinite(most)) return undefined
  if (least > 0) return [least, most]
  // Of a fraction at most the very end may be no length.
  if (type === "number") return least === 0 ? [0, most] : undefined
  const count = -Math.ceil(least) + 1
  if (count > MOST_WORDS) return undefined
  return [...Array.from({ length: count }, (_, at) => Math.ceil(least) + at), most]
}

/** As the reader of the file counts: a text by its leading digits. */
function toAmount(value: unknown): number | undefined {
  if (typeof value === "number") return value
  const digits = typeof value === "string" ? /^\d+(?:\.\d+)?/.exec(value) : null
  return digits === null ? undefined : Number(digits[0])
}
