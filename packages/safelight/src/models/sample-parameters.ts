/**
 * Samples of parameters, made from their schema, to try a model with: the required ones alone, and all of them.
 * A sample may be invalid: text for a pattern is not guessed.
 */
import type { ParameterValues } from "@safelight/core"
import { isOfMedia, type describeParameters } from "@safelight/http"

type Described = ReturnType<typeof describeParameters>

export function toSamples(described: Described): readonly ParameterValues[] {
  return [false, true].map((isWhole) => toObject(described, isWhole))
}

/** All of them, with texts as long as may be: what is billed by its length costs the most. */
export function toLongestSample(described: Described): ParameterValues {
  return toObject(lengthen(described), true)
}

function lengthen(described: Described): Described {
  const { maxLength, properties = {} } = described
  const members = Object.entries(properties).map(([name, property]) => {
    return [name, typeof property === "object" ? lengthen(property) : property] as const
  })
  return {
    ...described,
    ...(maxLength !== undefined && { minLength: maxLength }),
    ...(members.length > 0 && { properties: Object.fromEntries(members) }),
  }
}

function toObject(described: Described, isWhole: boolean): ParameterValues {
  const { properties = {}, required = [] } = described
  const names = Object.keys(properties).filter((name) => isWhole || required.includes(name))
  return Object.fromEntries(names.map((name) => [name, toSample(properties[name], isWhole)]))
}

function toSample(described: Described | boolean | undefined, isWhole: boolean): unknown {
  if (typeof described !== "object") return null
  const { anyOf, const: only, enum: values, oneOf } = described
  const [option] = anyOf ?? oneOf ?? []
  if (option !== undefined) return toSample(option, isWhole)
  if (values !== undefined) return isWhole ? values.at(-1) : values[0]
  return only ?? toTyped(described, isWhole)
}

function toTyped(described: Described, isWhole: boolean): unknown {
  const { exclusiveMinimum = -1, maximum, minimum, minLength = 1, type } = described
  if (type === "object") return toObject(described, isWhole)
  if (type === "array") return toList(described, isWhole)
  if (type === "boolean") return isWhole
  if (type === "string") {
    return isOfMedia(described)
      ? "https://media.example/sample"
      : "a".repeat(Math.max(1, minLength))
  }
  if (type === "null") return null
  return (isWhole ? maximum : minimum) ?? exclusiveMinimum + 1
}

function toList({ items, minItems = 0 }: Described, isWhole: boolean): readonly unknown[] {
  const item = typeof items === "object" && !Array.isArray(items) ? items : undefined
  return Array.from({ length: Math.max(minItems, isWhole ? 1 : 0) }, () => toSample(item, isWhole))
}
