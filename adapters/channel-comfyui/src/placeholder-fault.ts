/** What is wrong with a placeholder, given its node and its model, in words for the author of the workflow. */
import type { Model } from "@safelight/core"
import type { ComfyNode } from "./graph.ts"
import {
  hasMember,
  hasParameter,
  hasValue,
  isDerived,
  isList,
  isOfType,
  type InputType,
} from "./parameter-probe.ts"
import {
  toSourceText,
  type Filling,
  type ParameterSource,
  type Restriction,
} from "./placeholder.ts"

export function findRestrictionFault(model: Model, given: Restriction): string | undefined {
  const { parameter, values } = given
  if (!hasParameter(model, parameter)) return toUnknown(model, parameter)
  const stray = values.find((value) => !hasValue(model, parameter, value))
  return stray === undefined ? undefined : `${parameter} can't be ${stray}`
}

export function findFillingFault(
  model: Model,
  node: ComfyNode,
  filling: Filling,
): string | undefined {
  const { input, source } = filling
  if (!Object.hasOwn(node.inputs, input)) return `it has no input ${input}`
  const type = typeof node.inputs[input]
  if (type !== "string" && type !== "number" && type !== "boolean") {
    return `its input ${input} is linked: fill that of the node which it is linked to`
  }
  if (typeof source === "string") {
    return type === (source === "$seed" ? "number" : "string")
      ? undefined
      : toMismatch(filling, type)
  }
  if (!hasParameter(model, source.parameter)) return toUnknown(model, source.parameter)
  return findSourceFault(model, source) ?? findValueFault(model, source, { filling, type })
}

function toMismatch({ input, source }: Filling, type: InputType): string {
  return `its input ${input} is a ${type}, which ${toSourceText(source)} is not`
}

interface TypedFilling {
  readonly filling: Filling
  readonly type: InputType
}

function findValueFault(
  model: Model,
  source: ParameterSource,
  { filling, type }: TypedFilling,
): string | undefined {
  const { factor, input, summand, table } = filling
  if (table !== undefined) return findTableFault(model, source, { input, table, type })
  const isNumeric = factor !== 1 || summand !== 0 || filling.isSeeded
  const isFitting = isOfType(model, source, type) && (type === "number" || !isNumeric)
  return isFitting ? undefined : toMismatch(filling, type)
}

function findSourceFault(model: Model, source: ParameterSource): string | undefined {
  if (isDerived(model, source)) return undefined
  const { parameter, steps } = source
  for (const [at, step] of [...steps, undefined].entries()) {
    const whole = { parameter, steps: steps.slice(0, at) }
    const ofList = isList(model, whole)
    if (typeof step === "number") {
      if (!ofList) return `${toSourceText(source)}: ${toSourceText(whole)} is no list`
      continue
    }
    if (ofList) return `${toSourceText(whole)} is a list: name one of it, as [0]`
    if (step !== undefined && !hasMember(model, whole, step)) {
      return `${toSourceText(source)}: there is no such member`
    }
  }
  return undefined
}

interface TypedTable {
  readonly input: string
  readonly table: ReadonlyMap<string, string>
  readonly type: InputType
}

function findTableFault(
  model: Model,
  source: ParameterSource,
  { input, table, type }: TypedTable,
): string | undefined {
  if (source.steps.length > 0) {
    return `${toSourceText(source)} takes no constants`
  }
  const { parameter } = source
  const stray = [...table.keys()].find((value) => !hasValue(model, parameter, value))
  if (stray !== undefined) return `${parameter} can't be ${stray}`
  const wrong = [...table.values()].find((constant) => toConstant(constant, type) === undefined)
  return wrong === undefined ? undefined : `its input ${input} is a ${type}, which ${wrong} is not`
}

/** The text as a value of the type; undefined if it is none. */
export function toConstant(text: string, type: InputType): string | number | boolean | undefined {
  switch (type) {
    case "string":
      return text
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : undefined
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : undefined
  }
}

function toUnknown(model: Model, parameter: string): string {
  return `${parameter} is no parameter of ${model.id}`
}
