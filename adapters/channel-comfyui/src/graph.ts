/**
 * A workflow in ComfyUI's API format: nodes by id. An input is a constant, or a link to an output of another
 * node: `[id, slot]`. ComfyUI's page saves another format, with `nodes` and `links`.
 */

export interface ComfyNode {
  readonly class_type: string
  readonly inputs: Readonly<Record<string, unknown>>
}

export type Graph = Readonly<Record<string, ComfyNode>>

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The id of the node that an input is linked to; undefined for a constant. */
export function toLink(input: unknown): string | undefined {
  if (!Array.isArray(input)) return undefined
  const [id, slot] = input as readonly unknown[]
  return input.length === 2 && typeof id === "string" && Number.isInteger(slot) ? id : undefined
}

/** Empty if the value is no text. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : ""
}
