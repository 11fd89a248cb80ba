/**
 * Facts about a model's parameters, found by having the model check values: an operator's own model says no
 * more about itself. Most are used only at the start.
 */
import {
  PICTURE_SIZES,
  type Model,
  type PictureSize,
  type ParameterIssue,
  type ParameterValues,
} from "@safelight/core"
import { toSourceText, type ParameterSource } from "./placeholder.ts"

/** The type of an input's value, and so of the value that may replace it. */
export type InputType = "string" | "number" | "boolean"

const SAMPLES = { string: "text", number: 1, boolean: true } as const

export function hasParameter(model: Model, name: string): boolean {
  return findFault(model, toWhole(name), null) !== "unknown_parameter"
}

/** Whether a request may hold this value, as a person writes it: `4`, `true`, `16:9`. */
export function hasValue(model: Model, name: string, value: string): boolean {
  const others = [Number(value), value === "true"].filter((other) => String(other) === value)
  return [value, ...others].some((each) => findFault(model, toWhole(name), each) === undefined)
}

/** A value as a person writes it; empty for a list or an object. */
export function toPlainText(value: unknown): string {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "boolean" ? String(value) : ""
}

/** Whether the source takes any text, as a prompt does. */
export function isFreeText(model: Model, source: ParameterSource): boolean {
  return findFault(model, source, SAMPLES.string) === undefined
}

export function isList(model: Model, source: ParameterSource): boolean {
  return findFault(model, source, []) !== "invalid_type"
}

/** Whether the source's value has the type. */
export function isOfType(model: Model, source: ParameterSource, type: InputType): boolean {
  if (isDerived(model, source)) return (source.steps[0] === "hex" ? "string" : "number") === type
  const fault = findFault(model, source, SAMPLES[type])
  return fault !== "invalid_type" && fault !== "array_above_max_length"
}

/** Whether it is made of a parameter's value: pixels of a size, parts of a colour. */
export function isDerived(model: Model, { parameter, steps }: ParameterSource): boolean {
  const [member = "", ...others] = steps
  if (typeof member === "number" || others.length > 0) return false
  const whole = toWhole(parameter)
  if (member === "width" || member === "height") {
    const sizes = Object.keys(PICTURE_SIZES)
    return !isFreeText(model, whole) && sizes.every((size) => hasValue(model, parameter, size))
  }
  const isColour = findFault(model, whole, { r: 0, g: 0, b: 0 }) === undefined
  return isColour && ["r", "g", "b", "hex"].includes(member)
}

/** Whether the value of a source may be an object with this member. */
export function hasMember(model: Model, source: ParameterSource, member: string): boolean {
  const path = toPath(source)
  const issues = listIssues(model, source, { [member]: null })
  return issues.every(({ code, param }) => {
    if (param === path) return code !== "invalid_type"
    return param !== `${path}.${member}` || code !== "unknown_parameter"
  })
}

/** The value of a source; undefined if the request has none. */
export function pick({ parameter, steps }: ParameterSource, parameters: ParameterValues): unknown {
  return steps.reduce<unknown>(
    (value, step) => {
      if (typeof step === "string") return toMember(value, step)
      return Array.isArray(value) ? (value as unknown[])[step] : undefined
    },
    Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined,
  )
}

function toMember(value: unknown, member: string): unknown {
  if (typeof value === "string") {
    const size: PictureSize | undefined = PICTURE_SIZES[value as keyof typeof PICTURE_SIZES]
    return member === "width" ? size?.width : size?.height
  }
  if (typeof value !== "object" || value === null) return undefined
  const parts = value as Readonly<Record<string, unknown>>
  if (member !== "hex" || Object.hasOwn(parts, member)) {
    return Object.hasOwn(parts, member) ? parts[member] : undefined
  }
  const bytes = [parts["r"], parts["g"], parts["b"]].map(Number)
  return `#${Buffer.from(bytes).toString("hex")}`
}

function toWhole(parameter: string): ParameterSource {
  return { parameter, steps: [] }
}

/** As issues name it. */
function toPath(source: ParameterSource): string {
  return `parameters.${toSourceText(source)}`
}

/** The fault of one value, or of what it stands in, regardless of the others. */
function findFault(model: Model, source: ParameterSource, value: unknown): string | undefined {
  const path = toPath(source)
  const issue = listIssues(model, source, value).find(
    ({ param }) => isWithin(param, path) || (param !== "parameters" && isWithin(path, param)),
  )
  return issue?.code
}

function isWithin(inner: string, outer: string): boolean {
  return inner.startsWith(outer) && /^(?:$|[.[])/.test(inner.slice(outer.length))
}

/** What is wrong with a request that has this value, and nothing but what it stands in. */
function listIssues(
  model: Model,
  { parameter, steps }: ParameterSource,
  value: unknown,
): readonly ParameterIssue[] {
  const whole = steps.reduceRight<unknown>(
    (inner, step) =>
      typeof step === "number" ? Array.from({ length: step + 1 }, () => inner) : { [step]: inner },
    value,
  )
  const check = model.check({ [parameter]: whole })
  return check.kind === "valid" ? [] : check.issues
}
