/**
 * Whether a workflow makes exactly what a request asks for. A parameter without a placeholder has to be at its
 * default, since no parameter is ignored. A list must have exactly as many items as the workflow has placeholders.
 */
import { toCanonicalJson, type Ineligible, type ParameterValues } from "@safelight/core"
import { toPlainText } from "./parameter-probe.ts"
import type { ParameterSource } from "./placeholder.ts"
import type { Workflow } from "./workflow.ts"

export type Accepts = (parameters: ParameterValues) => true | Ineligible

/** ComfyUI's own nodes for pictures, which write PNG whatever was asked for. */
const WRITING_PNG: ReadonlySet<string> = new Set(["PreviewImage", "SaveImage"])

export function createAccepts(workflow: Workflow): Accepts {
  const { fillings, graph, outputs, restrictions } = workflow
  const sources = fillings.flatMap(({ source }) => (typeof source === "string" ? [] : [source]))
  const taken = new Set([...sources, ...restrictions].map(({ parameter }) => parameter))
  const lengths = [...toLengths(sources)]
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
    for (const [param, length] of lengths) {
      const list = parameters[param]
      if (Array.isArray(list) && list.length === length) continue
      return { kind: "ineligible", reason: `the workflow takes ${length} of ${param}`, param }
    }
    for (const [param, value] of Object.entries(parameters)) {
      const reason = value === undefined ? undefined : findObstacle(param, parameters)
      if (reason !== undefined) return { kind: "ineligible", reason, param }
    }
    return true
  }
}

/** By list parameter, how many items the workflow takes. */
function toLengths(sources: readonly ParameterSource[]): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>()
  for (const { index, parameter } of sources) {
    if (index === undefined) continue
    lengths.set(parameter, Math.max(lengths.get(parameter) ?? 0, index + 1))
  }
  return lengths
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
