/** What can be asked of a model, in words: each parameter with its bounds, those within others below them. */
import { toForm, type FormField, type Scalar } from "../playground/schema-fields.ts"
import type { ModelInfo } from "@safelight/client"

export interface ParameterRow {
  /** `elements[].image_url`. */
  readonly path: string
  readonly isRequired: boolean
  readonly words: string
  readonly hint: string | undefined
}

export function toParameterRows(model: ModelInfo): readonly ParameterRow[] {
  return toForm(model).fields.flatMap((field) => toRows(field, field.name))
}

function toRows(field: FormField, path: string): ParameterRow[] {
  const words = field.isNullable ? `${toWords(field)}, or null` : toWords(field)
  const row = { path, isRequired: field.isRequired, words, hint: field.hint }
  return [row, ...toParts(field, path)]
}

function toParts(field: FormField, path: string): ParameterRow[] {
  if (field.kind === "object") {
    return field.fields.flatMap((each) => toRows(each, `${path}.${each.name}`))
  }
  if (field.kind === "list") return toParts(field.item, `${path}[]`)
  return field.kind === "union" ? field.options.flatMap((option) => toParts(option, path)) : []
}

function toWords(field: FormField): string {
  switch (field.kind) {
    case "text":
      return toTextWords(field)
    case "number":
      return toNumberWords(field)
    case "choice":
      return `one of ${field.options.map(String).join(", ")}${toPresetWords(field.preset)}`
    case "switch":
      return `yes or no${toPresetWords(field.preset)}`
    case "media":
      return toMediaWords(field)
    case "list":
      return `list of ${toCountWords(field)}: ${toWords(field.item)}`
    case "union":
      return field.options.map(toWords).join("; or ")
    case "object":
      return "several values, below"
    case "colour":
      return "a colour: red, green and blue from 0 to 255"
    case "colours":
      return "a list of colours"
    case "json":
      return "JSON"
  }
}

type Of<Kind extends FormField["kind"]> = Extract<FormField, { readonly kind: Kind }>

const count = new Intl.NumberFormat()

function toTextWords({ maxLength, minLength, pattern }: Of<"text">): string {
  const bounds = toBounds(minLength === 0 ? undefined : minLength, maxLength)
  const length = bounds === "" ? "" : ` of ${bounds} characters`
  return `text${length}${pattern === undefined ? "" : ` that matches ${pattern}`}`
}

function toNumberWords({ isWhole, maximum, minimum, preset, step }: Of<"number">): string {
  const bounds = toBounds(minimum, maximum)
  const range = bounds === "" ? "" : `, ${bounds}`
  const steps = step === undefined ? "" : `, in steps of ${step}`
  return `${isWhole ? "whole number" : "number"}${range}${steps}${toPresetWords(preset)}`
}

function toMediaWords({ isList, maxItems, types }: Of<"media">): string {
  const kinds = types.map((type) => type.split("/")[1]?.replace(/^x-/, "")).join(", ")
  const what = `an address, or a file (${kinds})`
  if (!isList) return what
  return maxItems === undefined ? `list of: ${what}` : `list of at most ${maxItems}: ${what}`
}

function toCountWords({ maxItems, minItems }: Of<"list">): string {
  return toBounds(minItems === 0 ? undefined : minItems, maxItems) || "any number"
}

function toBounds(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) {
    return `${count.format(least)} to ${count.format(most)}`
  }
  if (most !== undefined) return `at most ${count.format(most)}`
  return least === undefined ? "" : `at least ${count.format(least)}`
}

function toPresetWords(preset: Scalar | undefined): string {
  if (preset === undefined) return ""
  if (typeof preset === "boolean") return ` (${preset ? "yes" : "no"} by default)`
  return ` (${String(preset)} by default)`
}
