/**
 * Facts about a model's parameters, found by having the model check values: an operator's own model says no
 * more about itself. Most are used only at the start.
 */
import { PICTURE_SIZES, type Model, type PictureSize } from "@safelight/core"
import type { ParameterSource } from "./placeholder.ts"

/** The type of an input's value, and so of the value that may replace it. */
export type InputType = "string" | "number" | "boolean"

const SAMPLES = { string: "text", number: 1, boolean: true } as const

export function hasParameter(model: Model, name: string): boolean {
  return findFault(model, name, null) !== "unknown_parameter"
}

/** Whether a request may hold this value, as a person writes it: `4`, `true`, `16:9`. */
export function hasValue(model: Model, name: string, value: string): boolean {
  const others = [Number(value), value === "true"].filter((other) => String(other) === value)
  return [value, ...others].some((each) => findFault(model, name, each) === undefined)
}

/** A value as a person writes it; empty for a list or an object. */
export function toPlainText(value: unknown): string {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "boolean" ? String(value) : ""
}

/** Whether the parameter takes any text, as a prompt does. */
export function isFreeText(model: Model, { index, member, parameter }: ParameterSource): boolean {
  const isWhole = index === undefined && member === undefined
  return isWhole && findFault(model, parameter, SAMPLES.string) === undefined
}

export function isList(model: Model, name: string): boolean {
  return findFault(model, name, []) !== "invalid_type"
}

/** Whether the source's value has the type. */
export function isOfType(model: Model, source: ParameterSource, type: InputType): boolean {
  const { index, member, parameter } = source
  if (member !== undefined) return toMemberType(member) === type
  const sample = SAMPLES[type]
  const value = index === undefined ? sample : Array.from({ length: index + 1 }, () => sample)
  const fault = findFault(model, parameter, value)
  return fault !== "invalid_type" && fault !== "array_above_max_length"
}

function toMemberType(member: string): InputType {
  return member === "hex" ? "string" : "number"
}

/** Whether the source's member exists: pixels of a size, parts of a colour. */
export function hasMember(model: Model, { member = "", parameter }: ParameterSource): boolean {
  if (member === "width" || member === "height") {
    const sizes = Object.keys(PICTURE_SIZES)
    const isAny = isFreeText(model, { parameter })
    return !isAny && sizes.every((size) => hasValue(model, parameter, size))
  }
  const isColour = findFault(model, parameter, { r: 0, g: 0, b: 0 }) === undefined
  return isColour && ["r", "g", "b", "hex"].includes(member)
}

/** The member of a parameter's value; undefined if there is none. */
export function toMember(value: unknown, member: string): unknown {
  if (typeof value === "string") {
    const size: PictureSize | undefined = PICTURE_SIZES[value as keyof typeof PICTURE_SIZES]
    return member === "width" ? size?.width : size?.height
  }
  if (typeof value !== "object" || value === null) return undefined
  const parts = value as Readonly<Record<string, unknown>>
  if (member !== "hex") return parts[member]
  const bytes = [parts["r"], parts["g"], parts["b"]].map(Number)
  return `#${Buffer.from(bytes).toString("hex")}`
}

/** The fault of one parameter's value, regardless of the others. */
function findFault(model: Model, name: string, value: unknown): string | undefined {
  const check = model.check({ [name]: value })
  if (check.kind === "valid") return undefined
  const path = `parameters.${name}`
  const isOwn = (param: string): boolean => param === path || /^[.[]/.test(param.slice(path.length))
  const issue = check.issues.find(({ param }) => param.startsWith(path) && isOwn(param))
  return issue?.code
}
