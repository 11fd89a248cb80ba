/**
 * Parameters made from their description, to try a model out with: the fewest, and all of them. Not all
 * that is made passes: what a pattern asks for is not guessed.
 */
import type { ParameterValues } from "@safelight/core"
import { isOfMedia, type describeParameters } from "@safelight/http"

type Described = ReturnType<typeof describeParameters>

export function toSamples(described: Described): readonly ParameterValues[] {
  return [false, true].map((isWhole) => toObject(described, isWhole))
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
  const { exclusiveMinimum = -1, items, maximum, minLength = 1 } = described
  switch (described.type) {
    case "object":
      return toObject(described, isWhole)
    case "array": {
      const count = Math.max(described.minItems ?? 0, isWhole ? 1 : 0)
      const item = typeof items === "object" && !Array.isArray(items) ? items : undefined
      return Array.from({ length: count }, () => toSample(item, isWhole))
    }
    case "string":
      return isOfMedia(described)
        ? "https://media.example/sample"
        : "a".repeat(Math.max(1, minLength))
    case "integer":
    case "number":
      return (isWhole ? maximum : described.minimum) ?? exclusiveMinimum + 1
    case "boolean":
      return isWhole
    default:
      return null
  }
}
