/**
 * Which values a logged parameter may have, read from its JSON Schema: a price has to know them all. A range of whole
 * numbers that is too long for a table is open, and needs the factor of `*`.
 */
import { MAX_FACTOR_VALUES } from "@safelight/core"
import type { describeParameters } from "@safelight/http"

type Described = ReturnType<typeof describeParameters>

export type Scalar = string | number | boolean

export interface Range {
  readonly min: number
  readonly max: number
}

export interface PossibleValues {
  /** All but those of `ranges`. */
  readonly listed: readonly Scalar[]
  /** Of whole numbers, too long to be listed. */
  readonly ranges: readonly Range[]
  /** It may be left out, and has no default. */
  readonly mayBeAbsent: boolean
}

/** Undefined if there is no such parameter. */
export function findPossibleValues(
  { properties = {}, required = [] }: Described,
  name: string,
): PossibleValues | undefined {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (typeof property !== "object") return undefined
  const parts = toParts(property)
  const listed = parts.flatMap((part) => ("listed" in part ? part.listed : []))
  const ranges = parts.flatMap((part) => ("listed" in part ? [] : [part]))
  const mayBeAbsent = !required.includes(name) && property.default === undefined
  return { listed: [...new Set(listed)], ranges, mayBeAbsent }
}

/** Whether the parameter may have a value that is spelt so. */
export function canBe({ listed, ranges }: PossibleValues, spelt: string): boolean {
  if (listed.some((value) => String(value) === spelt)) return true
  const number = Number(spelt)
  return (
    String(number) === spelt &&
    Number.isSafeInteger(number) &&
    ranges.some(({ min, max }) => number >= min && number <= max)
  )
}

type Part = { readonly listed: readonly Scalar[] } | Range

function toParts(described: Described | boolean): readonly Part[] {
  if (typeof described !== "object") return []
  const { anyOf, const: only, enum: values, oneOf, type } = described
  const options = anyOf ?? oneOf
  if (options !== undefined) return options.flatMap(toParts)
  if (values !== undefined) return [{ listed: values.filter(isScalar) }]
  if (isScalar(only)) return [{ listed: [only] }]
  if (type === "boolean") return [{ listed: [false, true] }]
  return type === "integer" ? [toRange(described)] : []
}

function toRange(described: Described): Part {
  const { exclusiveMaximum = Infinity, exclusiveMinimum = -Infinity } = described
  const { maximum = Infinity, minimum = -Infinity } = described
  const min = Math.max(Math.ceil(minimum), Math.floor(exclusiveMinimum) + 1)
  const max = Math.min(Math.floor(maximum), Math.ceil(exclusiveMaximum) - 1)
  const count = max - min + 1
  if (!(count <= MAX_FACTOR_VALUES)) return { min, max }
  return { listed: Array.from({ length: Math.max(count, 0) }, (_, place) => min + place) }
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
}
