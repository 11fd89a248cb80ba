/** What a form's fields hold: what a new item begins with, which option a value is of, whether all that is required is there. */
import type { FormField, Values } from "./schema-fields.ts"

/** What an item of a list, an object or the option of a union is before it is filled in. */
export function toBlank(field: FormField): unknown {
  switch (field.kind) {
    case "text":
      return ""
    case "choice":
      return field.preset ?? field.options[0] ?? null
    case "number":
      return field.preset ?? field.minimum ?? 0
    case "switch":
      return field.preset ?? false
    case "colour":
      return { r: 0, g: 0, b: 0 }
    case "object":
      return field.constants
    case "union":
      return field.options[0] === undefined ? null : toBlank(field.options[0])
    case "media":
      return field.isList ? [] : ""
    case "colours":
    case "list":
      return []
    case "json":
      return null
  }
}

export function toValues(value: unknown): Values {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  return isObject ? (value as Values) : {}
}

/** `values` with one member changed; undefined takes it away. */
export function withMember(values: Values, name: string, value: unknown): Values {
  const { [name]: _, ...others } = values
  return value === undefined ? others : { ...others, [name]: value }
}

/** Whether an option of a union can show the value. */
export function canShow(field: FormField, value: unknown): boolean {
  switch (field.kind) {
    case "text":
    case "media":
      return field.kind === "media" && field.isList ? Array.isArray(value) : isText(value)
    case "choice":
      return field.options.some((option) => option === value)
    case "number":
      return typeof value === "number" && (!field.isWhole || Number.isInteger(value))
    case "switch":
      return typeof value === "boolean"
    case "colours":
    case "list":
      return Array.isArray(value)
    case "object":
      return canShowMembers(field, value)
    case "colour":
      return typeof value === "object" && value !== null && "r" in value
    case "union":
      return field.options.some((option) => canShow(option, value))
    case "json":
      return value !== undefined
  }
}

function canShowMembers(
  field: Extract<FormField, { readonly kind: "object" }>,
  value: unknown,
): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const values = toValues(value)
  const names = new Set([...field.fields.map(({ name }) => name), ...Object.keys(field.constants)])
  const isOwn = Object.keys(values).every((name) => names.has(name))
  return isOwn && Object.entries(field.constants).every(([name, each]) => values[name] === each)
}

function isText(value: unknown): boolean {
  return typeof value === "string"
}

/** Whether all that is required is filled in. What it is filled in with, the service judges. */
export function isComplete(fields: readonly FormField[], values: Values): boolean {
  return fields.every((field) => isFilled(field, values[field.name]))
}

function isFilled(field: FormField, value: unknown): boolean {
  if (value === undefined) return !field.isRequired
  if (value === null) return true
  if (field.kind === "object") return isComplete(field.fields, toValues(value))
  if (field.kind === "list" && Array.isArray(value)) {
    return value.every((each) => isFilled(field.item, each))
  }
  if (field.kind === "union") {
    const option = field.options.find((each) => canShow(each, value))
    return option === undefined || isFilled(option, value)
  }
  return value !== "" || !field.isRequired
}
