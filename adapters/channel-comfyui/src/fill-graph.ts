/**
 * The graph of one prompt: the workflow with a task's values in their places. An input whose parameter is not
 * set keeps the workflow's value, except a free text, such as a prompt, which becomes empty: the workflow's
 * own text is only a sample. Titles are left out, since ComfyUI writes the graph into each file.
 */
import type { ParameterValues } from "@safelight/core"
import type { Fields, Graph } from "./graph.ts"
import { isFreeText, pick, toPlainText, type InputType } from "./parameter-probe.ts"
import { toConstant } from "./placeholder-fault.ts"
import { toSourceText } from "./placeholder.ts"
import type { PromptIdentity } from "./prompt-identity.ts"
import type { PlacedFilling, Workflow } from "./workflow.ts"

export interface PromptValues {
  readonly parameters: ParameterValues
  readonly identity: PromptIdentity
  /** By source, such as `image_urls[0]`: the name of the uploaded file on the server. */
  readonly files: ReadonlyMap<string, string>
}

export function fillGraph(workflow: Workflow, values: PromptValues): Graph {
  const filled = new Map<string, Record<string, unknown>>()
  for (const filling of workflow.fillings) {
    const value = toValue(workflow, filling, values)
    if (value === undefined) continue
    const inputs = filled.get(filling.node) ?? {}
    inputs[filling.input] = value
    filled.set(filling.node, inputs)
  }
  return Object.fromEntries(
    Object.entries(workflow.graph).map(([id, { class_type, inputs }]) => {
      return [id, { class_type, inputs: { ...inputs, ...filled.get(id) } }]
    }),
  )
}

/** Undefined if the input keeps the workflow's own value. */
function toValue(workflow: Workflow, filling: PlacedFilling, values: PromptValues): unknown {
  const { factor, isSeeded, source, summand, table } = filling
  if (source === "$seed") return values.identity.seed
  if (source === "$id") return values.identity.promptId
  const file = values.files.get(toSourceText(source))
  if (file !== undefined) return file
  const value = pick(source, values.parameters)
  if (value === undefined && isSeeded) return values.identity.seed
  if (value === undefined) return isFreeText(workflow.model, source) ? "" : undefined
  if (table !== undefined) {
    const constant = table.get(toPlainText(value))
    return constant === undefined ? undefined : toConstant(constant, typeOf(workflow, filling))
  }
  return typeof value === "number" ? value * factor + summand : value
}

function typeOf({ graph }: Workflow, { input, node }: PlacedFilling): InputType {
  const inputs: Fields = graph[node]?.inputs ?? {}
  return typeof inputs[input] as InputType
}
