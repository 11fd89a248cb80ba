/** How many pieces or seconds a request asks for: a number, or what one of its parameters says. */
import { MAX_USAGE } from "../money/charge.ts"
import type { ParameterValues } from "../models/model.ts"
import { isObject, join, split, type Report } from "./fault.ts"
import { toOptions, type Schema } from "./schema.ts"

export type Quantity = (parameters: ParameterValues) => number

/** What bounds it. */
export interface QuantityRule {
  readonly isWhole: boolean
  /** May not be less. */
  readonly least: number
}

interface Source {
  readonly names: readonly string[]
  readonly values: Readonly<Record<string, number>>
  readonly fallback: number | undefined
}

/** Reports what is wrong, and is undefined then. */
export function readQuantity(
  raw: unknown,
  {
    parameters,
    pointer,
    report,
    rule,
  }: {
    readonly parameters: Schema
    readonly pointer: string
    readonly report: Report
    readonly rule: QuantityRule
  },
): Quantity | undefined {
  if (typeof raw === "number") {
    if (isWithin(raw, rule)) return () => raw
    report(pointer, toWords(rule))
    return undefined
  }
  const source = readSource(raw, pointer, report)
  if (source === undefined) return undefined
  const found = findProperty(parameters, source.names)
  if (found === undefined) {
    report(pointer, "names no parameter")
    return undefined
  }
  const missing = found.isSure || source.fallback !== undefined ? [] : [undefined]
  const bad = [...toSamples(found.schema), ...missing].find(
    (value) => !isWithin(toAmount(value, source), rule),
  )
  if (bad === undefined && missing.length === 0) {
    return (values) => toAmount(readValue(values, source.names), source) ?? 0
  }
  report(
    pointer,
    bad === undefined
      ? 'may be left out by a request: add a default, here or there (beside "from")'
      : `${toWords(rule)}, and ${JSON.stringify(bad)} is none: add it to values`,
  )
  return undefined
}

function readSource(raw: unknown, pointer: string, report: Report): Source | undefined {
  const { from, values = {}, default: fallback, ...others } = isObject(raw) ? raw : { from: raw }
  const [other] = Object.keys(others)
  if (other !== undefined) {
    report(join(pointer, other), "is not known here: from, values, default")
    return undefined
  }
  const names = typeof from === "string" && from !== "" ? split(from) : undefined
  if (names === undefined) {
    report(pointer, 'must be a number, a pointer such as "/duration", or an object with from')
    return undefined
  }
  const isRight = isObject(values) && Object.values(values).every(Number.isFinite)
  if (!isRight || (fallback !== undefined && typeof fallback !== "number")) {
    report(pointer, "must give numbers in values and default")
    return undefined
  }
  return { names, values: values as Source["values"], fallback }
}

/** A text counts by its leading digits, as `8s`. */
function toAmount(value: unknown, { fallback, values }: Source): number | undefined {
  if (value === undefined) return fallback
  const name = typeof value === "string" ? value : JSON.stringify(value)
  if (Object.hasOwn(values, name)) return values[name]
  if (typeof value === "number") return value
  const digits = typeof value === "string" ? /^\d+(?:\.\d+)?/.exec(value) : null
  return digits === null ? fallback : Number(digits[0])
}

export function readValue(values: unknown, names: readonly string[]): unknown {
  let value = values
  for (const name of names) {
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}

export interface FoundProperty {
  readonly schema: Schema
  /** Whether every checked request has it. */
  readonly isSure: boolean
}

/** Through objects alone. */
export function findProperty(
  parameters: Schema,
  names: readonly string[],
): FoundProperty | undefined {
  let schema = parameters
  let isSure = true
  for (const name of names) {
    const { properties = {}, required = [] } = schema
    const next = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (next === undefined) return undefined
    isSure &&= required.includes(name) || next.default !== undefined
    schema = next
  }
  return { schema, isSure }
}

/** Every value of a list, and the least and the greatest of numbers. */
function toSamples(schema: Schema): readonly unknown[] {
  return toOptions(schema).flatMap((option): readonly unknown[] => {
    const { const: only, enum: values, type } = option
    if (values !== undefined) return values
    if (only !== undefined) return [only]
    if (type === "boolean") return [true, false]
    if (type === "null") return [null]
    if (type !== "integer" && type !== "number") return [`any ${String(type)}`]
    const least = option.minimum ?? Number(option.exclusiveMinimum)
    const most = option.maximum ?? Number(option.exclusiveMaximum)
    // A fraction between them may be no count.
    return type === "number" ? [least, most, least + (most - least) / 3] : [least, most]
  })
}

function isWithin(amount: number | undefined, { isWhole, least }: QuantityRule): boolean {
  if (amount === undefined || !(amount >= least && amount <= MAX_USAGE / 1000)) return false
  return !isWhole || Number.isSafeInteger(amount)
}

function toWords({ isWhole, least }: QuantityRule): string {
  return `must be a ${isWhole ? "whole number" : "number"} from ${least}`
}
