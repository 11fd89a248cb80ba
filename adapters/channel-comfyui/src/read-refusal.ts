/**
 * What a 400 of `POST /prompt` says: the graph was judged before it was queued, so nothing runs. Whether
 * the request is to blame or the workflow and its server shows by the inputs that were not taken.
 */
import type { Log, NotCreated, Refused } from "@safelight/core"
import { isFields, type Fields } from "./graph.ts"
import type { Workflow } from "./workflow.ts"

export interface RefusalPorts {
  readonly name: string
  readonly log: Log
}

interface NodeFault {
  readonly node: string
  readonly nodeType: string
  /** As `value_not_in_list`. */
  readonly fault: string
  /** Empty where it is about no input. */
  readonly input: string
  readonly words: string
}

/** Undefined where the answer is none of ComfyUI's. */
export function readRefusal(
  { log, name }: RefusalPorts,
  { file, fillings }: Workflow,
  answer: Fields,
): Refused | NotCreated | undefined {
  const { error, node_errors: errors } = answer
  if (!isFields(error) || typeof error["type"] !== "string") return undefined
  const faults = listFaults(errors)
  const isFilled = ({ input, node }: NodeFault): boolean =>
    fillings.some((filling) => filling.node === node && filling.input === input)
  if (faults.length > 0 && faults.every(isFilled)) {
    const providerWords = faults.map(({ words }) => words).join("\n")
    return { kind: "refused", code: "provider_rejected", providerWords }
  }
  // Neither words nor values: they may hold what a person wrote.
  const told = faults.map(({ fault, input, node, nodeType }) => ({ node, nodeType, fault, input }))
  const fields = { channel: name, workflow: file, fault: error["type"], nodes: told }
  log.error(fields, "workflow refused")
  return { kind: "not-created", reason: "workflow_refused" }
}

function listFaults(errors: unknown): readonly NodeFault[] {
  if (!isFields(errors)) return []
  return Object.entries(errors).flatMap(([node, value]) => {
    const { class_type: type, errors: list } = isFields(value) ? value : {}
    const nodeType = toText(type)
    return (Array.isArray(list) ? list : []).filter(isFields).map((each) => {
      const { details, extra_info: extra, message, type: fault } = each
      const input = isFields(extra) ? toText(extra["input_name"]) : ""
      const words = `node ${node} (${nodeType}): ${toText(message)}: ${toText(details)}`
      return { node, nodeType, fault: toText(fault), input, words }
    })
  })
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : ""
}
