/**
 * A 400 of `POST /prompt`: the server checks a graph before it queues it, so nothing runs. The refused inputs
 * show whether the fault is in the request, or in the workflow and its server.
 */
import type { Log, NotCreated, Refused } from "@safelight/core"
import { isFields, toText, type Fields } from "./graph.ts"
import { isFilled, type Workflow } from "./workflow.ts"

export interface RefusalPorts {
  readonly name: string
  readonly log: Log
}

interface NodeFault {
  readonly node: string
  readonly nodeType: string
  /** Such as `value_not_in_list`. */
  readonly fault: string
  /** Empty if the fault is about no input. */
  readonly input: string
  readonly words: string
}

/** Undefined if the answer is not ComfyUI's. */
export function readRefusal(
  { log, name }: RefusalPorts,
  workflow: Workflow,
  answer: Fields,
): Refused | NotCreated | undefined {
  const { error, node_errors: errors } = answer
  if (!isFields(error) || typeof error["type"] !== "string") return undefined
  const faults = listFaults(errors)
  if (faults.length > 0 && faults.every(({ input, node }) => isFilled(workflow, node, input))) {
    const providerWords = faults.map(({ words }) => words).join("\n")
    return { kind: "refused", code: "provider_rejected", providerWords }
  }
  // Neither words nor values are logged: they may hold a person's text.
  const nodes = faults.map(({ fault, input, node, nodeType }) => ({ node, nodeType, fault, input }))
  const fields = { channel: name, workflow: workflow.file, fault: error["type"], nodes }
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
