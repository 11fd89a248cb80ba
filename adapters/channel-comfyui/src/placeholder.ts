/**
 * The placeholders of a workflow are in the titles of its nodes, because ComfyUI's page keeps titles unchanged
 * through export and import: an input for a number takes no text, and braces in a text are dynamic prompts,
 * from which an export has already chosen. The node's own inputs stay as they are, so the file still runs in
 * ComfyUI. They also give the type of the value that replaces them.
 *
 *   {{text=prompt}}                       the input `text` is the parameter `prompt`
 *   {{width=size.width}}                  a member of it
 *   {{image=image_urls[0]}}               one of a list: the first file, uploaded
 *   {{image=elements[0].image_url}}       a member of one of a list, at any depth
 *   {{length=duration*16+1}}              a number, scaled
 *   {{steps=quality low=8 medium=24}}     a constant for each value
 *   {{seed=$seed}} {{filename_prefix=$id}}  differs between attempts
 *   {{seed=seed else $seed}}              the parameter, or that if the request leaves it out
 *   {{only output_format=png}}            the only values that the workflow takes
 *   {{output}}                            this node saves the result
 */

import type { Model } from "@safelight/core"

export interface Filling {
  readonly kind: "fill"
  readonly input: string
  readonly source: Source
  /** A number is multiplied by it. */
  readonly factor: number
  readonly summand: number
  /** By the parameter's value, the constant as the title has it. */
  readonly table: ReadonlyMap<string, string> | undefined
  /** If the request leaves the parameter out, the seed of the attempt takes its place. */
  readonly isSeeded: boolean
}

export type Source = "$seed" | "$id" | ParameterSource

export interface ParameterSource {
  readonly parameter: string
  /** From there on: the item of a list, from 0; a member, also such as `width` of a size, `r` of a colour. */
  readonly steps: readonly (number | string)[]
}

export interface Restriction {
  readonly kind: "only"
  readonly parameter: string
  readonly values: readonly string[]
}

export type Placeholder = Filling | Restriction | { readonly kind: "output" }

const RESTRICTION = /^only\s+(\w+)=(\S+)$/
const FILLING = new RegExp(
  [
    String.raw`^(?<input>[^={}]+?)\s*=\s*`,
    String.raw`(?:(?<own>\$seed|\$id)|(?<parameter>\w+)(?<steps>(?:\[\d{1,3}\]|\.\w+){0,12}))`,
    String.raw`(?:\*(?<factor>\d+(?:\.\d+)?))?(?:\+(?<summand>\d+(?:\.\d+)?))?`,
    String.raw`(?:\s+(?:(?<seeded>else\s+\$seed)|(?<constants>\S.*)))?$`,
  ].join(""),
)

/** The placeholders of a title; or, as a text, the first one that can't be read. */
export function parsePlaceholders(title: string): readonly Placeholder[] | string {
  const found: Placeholder[] = []
  const rest = title.replaceAll(/\{\{(.*?)\}\}/g, (text, inner: string) => {
    const placeholder = parsePlaceholder(inner.trim())
    if (placeholder === undefined) return text
    found.push(placeholder)
    return ""
  })
  return /\{\{.*/.exec(rest)?.[0] ?? found
}

function parsePlaceholder(text: string): Placeholder | undefined {
  if (text === "output") return { kind: "output" }
  const [, parameter, values] = RESTRICTION.exec(text) ?? []
  if (parameter !== undefined && values !== undefined) {
    return { kind: "only", parameter, values: values.split(",") }
  }
  return parseFilling(text)
}

function parseFilling(text: string): Filling | undefined {
  const { groups } = FILLING.exec(text) ?? {}
  if (groups === undefined) return undefined
  const { constants, factor, input = "", seeded, summand } = groups
  const table = constants === undefined ? undefined : parseTable(constants)
  // A calculation, a table or a seed in its place, and none of them for `$seed` and `$id`.
  const given = [factor ?? summand, constants, seeded]
  const changes = given.filter((each) => each !== undefined).length
  if (table === "unreadable" || changes > (groups["own"] === undefined ? 1 : 0)) return undefined
  const scale = { factor: Number(factor ?? 1), summand: Number(summand ?? 0) }
  const isSeeded = seeded !== undefined
  return { kind: "fill", input, source: toSource(groups), ...scale, table, isSeeded }
}

function toSource({ own, parameter = "", steps = "" }: Groups): Source {
  if (own === "$seed" || own === "$id") return own
  const parts = steps.matchAll(/\[(\d+)\]|\.(\w+)/g)
  return {
    parameter,
    steps: Array.from(parts, ([, index, member = ""]) =>
      index === undefined ? member : Number(index),
    ),
  }
}

type Groups = Readonly<Record<string, string | undefined>>

function parseTable(text: string): ReadonlyMap<string, string> | "unreadable" {
  const rows = text.split(/\s+/).map((row) => /^([^=]+)=(.+)$/.exec(row))
  const table = new Map<string, string>()
  for (const row of rows) {
    const [, value, constant] = row ?? []
    if (value === undefined || constant === undefined || table.has(value)) return "unreadable"
    table.set(value, constant)
  }
  return table
}

/** As the title has it: `size.width`, `image_urls[0]`. */
export function toSourceText(source: Source): string {
  if (typeof source === "string") return source
  const { parameter, steps } = source
  return steps.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
    parameter,
  )
}

/** Whether it is the address of a medium, which the model names by its members. */
export function isOfMedia({ media }: Pick<Model, "media">, source: Source): boolean {
  if (typeof source === "string") return false
  const names = source.steps.filter((step) => typeof step === "string")
  return Object.hasOwn(media, [source.parameter, ...names].join("/"))
}
