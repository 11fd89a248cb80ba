/**
 * Holds the inputs of a node against what ComfyUI reports of its class, as it does itself before a prompt is queued.
 * A class that is not reported stands for an installed extension, whose inputs are not known here.
 */
import { REQUIRED_INPUTS } from "./comfyui-nodes.ts"

type Fields = Readonly<Record<string, unknown>>

export interface InputFault {
  readonly type: string
  readonly message: string
  readonly details: string
}

/** Links are `[node, output]`. */
function isLink(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "number"
}

export function findInputFaults(type: string, inputs: Fields): readonly InputFault[] {
  const required = REQUIRED_INPUTS[type] ?? {}
  return Object.entries(required).flatMap(([name, declared]) => {
    const [kind, bounds = {}] = declared as readonly [unknown, Fields?]
    const value = inputs[name]
    const fault =
      value === undefined ? MISSING : isLink(value) ? undefined : judge(kind, bounds, value)
    return fault === undefined ? [] : [{ ...fault, details: name }]
  })
}

type Verdict = Omit<InputFault, "details"> | undefined

const MISSING = { type: "required_input_missing", message: "Required input is missing" }
const UNLISTED = { type: "value_not_in_list", message: "Value not in list" }
const UNFIT = { type: "invalid_input_type", message: "Failed to convert an input value" }

function judge(kind: unknown, bounds: Fields, value: unknown): Verdict {
  // Files that were uploaded are choices as well.
  if (bounds["image_upload"] === true) return typeof value === "string" ? undefined : UNFIT
  const choices = kind === "COMBO" ? bounds["options"] : kind
  if (Array.isArray(choices)) return choices.includes(value) ? undefined : UNLISTED
  if (kind === "STRING") return typeof value === "string" ? undefined : UNFIT
  return kind === "INT" || kind === "FLOAT" ? judgeNumber(kind, bounds, value) : UNFIT
}

function judgeNumber(kind: "INT" | "FLOAT", bounds: Fields, value: unknown): Verdict {
  if (typeof value !== "number" || (kind === "INT" && !Number.isInteger(value))) return UNFIT
  const { min = -Infinity, max = Infinity } = bounds as {
    readonly min?: number
    readonly max?: number
  }
  if (value < min)
    return { type: "value_smaller_than_min", message: `Value smaller than min of ${min}` }
  if (value <= max) return undefined
  return { type: "value_bigger_than_max", message: `Value bigger than max of ${max}` }
}
