/**
 * Whether a workflow makes exactly what a request asks for. A parameter without a placeholder has to be at its
 * default, since no parameter is ignored, and so has a member of a parameter of which others have placeholders. A
 * list must have exactly as many items as the workflow has placeholders.
 */
import { toCanonicalJson, type Ineligible, type Model, type ParameterValues } from "@safelight/core"
import { isDerived, pick, toPlainText } from "./parameter-probe.ts"
import { toSourceText, type ParameterSource } from "./placeholder.ts"
import type { Workflow } from "./workflow.ts"

export type Accepts = (parameters: ParameterValues) => true | Ineligible

/** ComfyUI's own nodes for pictures, which write PNG whatever was asked for. */
const WRITING_PNG: ReadonlySet<string> = new Set(["PreviewImage", "SaveImage"])

export function createAccepts(workflow: Workflow): Accepts {
  const { fillings, graph, outputs, restrictions } = workflow
  const sources = fillings.flatMap(({ source }) => (typeof source === "string" ? [] : [source]))
  const taken = new Set([...sources, ...restrictions].map(({ parameter }) => parameter))
  const lengths = toLengths(sources)
  const nested = sources.filter(({ steps }) => steps.some((step) => typeof step === "string"))
  const parts = nested.filter((source) => !isDerived(workflow.model, source))
  const isDefault = createIsDefault(workflow)
  const isPng = outputs.every((id) => WRITING_PNG.has(graph[id]?.class_type ?? ""))

  function findObstacle(param: string, parameters: ParameterValues): string | undefined {
    const value = parameters[param]
    if (param === "output_format" && isPng && !taken.has(param)) {
      return value === "png" ? undefined : "the workflow saves PNG alone"
    }
    if (taken.has(param)) {
      const isFor = isMadeFor(workflow, param, toPlainText(value))
      return isFor ? undefined : `the workflow is not for ${toWords(workflow, param, value)}`
    }
    const words = `the workflow has no placeholder for ${param}`
    return isDefault(param, parameters) ? undefined : words
  }

  return (parameters) => {
    for (const { length, source } of lengths) {
      const list = pick(source, parameters)
      if (Array.isArray(list) && list.length === length) continue
      const reason = `the workflow takes ${length} of ${toSourceText(source)}`
      return { kind: "ineligible", reason, param: source.parameter }
    }
    const other = findOther(workflow, parts, parameters)
    if (other !== undefined) {
      const reason = `the workflow has no placeholder for ${toSourceText(other)}`
      return { kind: "ineligible", reason, param: other.parameter }
    }
    for (const [param, value] of Object.entries(parameters)) {
      const reason = value === undefined ? undefined : findObstacle(param, parameters)
      if (reason !== undefined) return { kind: "ineligible", reason, param }
    }
    return true
  }
}

interface ListLength {
  readonly source: ParameterSource
  readonly length: number
}

/** Of each list, how many items the workflow takes; a list before those in it. */
function toLengths(sources: readonly ParameterSource[]): readonly ListLength[] {
  const lengths = new Map<string, ListLength>()
  for (const { parameter, steps } of sources) {
    for (const [at, step] of steps.entries()) {
      if (typeof step === "string") continue
      const source = { parameter, steps: steps.slice(0, at) }
      const text = toSourceText(source)
      lengths.set(text, { source, length: Math.max(lengths.get(text)?.length ?? 0, step + 1) })
    }
  }
  return [...lengths.values()]
}

/** The first part of a request's parameters that others of `parts` stand beside, that has none, and is no default. */
function findOther(
  { model }: Workflow,
  parts: readonly ParameterSource[],
  parameters: ParameterValues,
): ParameterSource | undefined {
  const texts = parts.map(toSourceText)

  function find(source: ParameterSource): ParameterSource | undefined {
    const text = toSourceText(source)
    if (texts.includes(text)) return undefined
    const value = pick(source, parameters)
    const isDivided = texts.some(
      (each) => each.startsWith(`${text}.`) || each.startsWith(`${text}[`),
    )
    if (!isDivided || typeof value !== "object" || value === null) {
      return isAtDefault(model, source, parameters) ? undefined : source
    }
    const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
    for (const step of steps) {
      const found = find({ parameter: source.parameter, steps: [...source.steps, step] })
      if (found !== undefined) return found
    }
    return undefined
  }

  for (const parameter of new Set(parts.map((part) => part.parameter))) {
    const found = find({ parameter, steps: [] })
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether the request would have the same value without it. */
function isAtDefault(model: Model, source: ParameterSource, parameters: ParameterValues): boolean {
  const value = pick(source, parameters)
  if (value === undefined) return true
  const others = without(parameters, [source.parameter, ...source.steps]) as ParameterValues
  const check = model.check(others)
  return check.kind === "valid" && toText(pick(source, check.parameters)) === toText(value)
}

/** A copy without one part. */
function without(value: unknown, [step, ...others]: readonly (number | string)[]): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) => (at === step ? without(item, others) : item))
  }
  const entries = Object.entries(value as ParameterValues).flatMap(([name, member]) => {
    if (name !== step) return [[name, member] as const]
    return others.length === 0 ? [] : [[name, without(member, others)] as const]
  })
  return Object.fromEntries(entries)
}

function isMadeFor({ fillings, restrictions }: Workflow, param: string, given: string): boolean {
  const isAllowed = restrictions.every(
    ({ parameter, values }) => parameter !== param || values.includes(given),
  )
  const isListed = fillings.every(
    ({ source, table }) =>
      typeof source === "string" || source.parameter !== param || table?.has(given) !== false,
  )
  return isAllowed && isListed
}

/** A value is logged only if the model says that it may be. */
function toWords({ model }: Workflow, param: string, value: unknown): string {
  const logged = model.toLogged({ [param]: value })[param]
  return logged === undefined ? `this ${param}` : `${param} ${logged}`
}

/**
 * Whether a parameter has its default value. The model is asked once for each, since no default depends on
 * another parameter.
 */
function createIsDefault({
  model,
}: Workflow): (param: string, parameters: ParameterValues) => boolean {
  const defaults = new Map<string, string>()

  function findDefault(param: string, parameters: ParameterValues): string {
    const { [param]: _given, ...others } = parameters
    const check = model.check(others)
    // A required parameter has no default.
    return check.kind === "valid" ? toText(check.parameters[param]) : ""
  }

  return (param, parameters) => {
    const known = defaults.get(param) ?? findDefault(param, parameters)
    defaults.set(param, known)
    return known === toText(parameters[param])
  }
}

function toText(value: unknown): string {
  return value === undefined ? "" : toCanonicalJson(value)
}
