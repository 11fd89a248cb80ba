/** One parameter of the form. An empty control sends nothing, so that the model's own default holds. */
import type { JSX } from "preact"
import { Field, type ControlAttributes } from "../../design/field.tsx"
import { ColourField, ColoursField } from "./colour-field.tsx"
import { MediaField } from "./media-field.tsx"
import { toTitle, type FormField } from "./schema-fields.ts"

export interface ParameterFieldProps {
  readonly field: FormField
  readonly value: unknown
  readonly fault: string | undefined
  /** Undefined if nothing is to be sent. */
  readonly onChange: (value: unknown) => void
}

export function ParameterField({
  field,
  value,
  fault,
  onChange,
}: ParameterFieldProps): JSX.Element {
  const label = toTitle(field.name)
  const props = { label, fault, value, onChange }
  switch (field.kind) {
    case "media":
      return <MediaField {...props} types={field.types} maxItems={field.maxItems} />
    case "colour":
      return <ColourField {...props} />
    case "colours":
      return <ColoursField {...props} />
    case "switch":
      return (
        <label class="check">
          <input
            type="checkbox"
            checked={(value ?? field.preset) === true}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
          {label}
        </label>
      )
    case "text":
    case "choice":
    case "number":
    case "json":
      return (
        <Field label={label} fault={fault} hint={toHint(field, value)}>
          {(attributes) => (
            <Control attributes={attributes} field={field} value={value} onChange={onChange} />
          )}
        </Field>
      )
  }
}

interface ControlProps {
  readonly attributes: ControlAttributes
  readonly field: FormField
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function Control({ attributes, field, value, onChange }: ControlProps): JSX.Element {
  if (field.kind === "choice") {
    return (
      <select
        {...attributes}
        value={typeof value === "string" ? value : ""}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      >
        <option value="">
          {field.preset === undefined ? "Automatic" : `${field.preset} (default)`}
        </option>
        {field.options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    )
  }
  if (field.kind === "number") {
    return (
      <input
        {...attributes}
        type="number"
        min={field.minimum}
        max={field.maximum}
        step="1"
        placeholder={field.preset === undefined ? "Automatic" : String(field.preset)}
        value={typeof value === "number" ? String(value) : ""}
        onInput={(event) => onChange(toNumber(event.currentTarget.value))}
      />
    )
  }
  return (
    <textarea
      {...attributes}
      dir="auto"
      name={field.name}
      required={field.isRequired}
      value={field.kind === "text" ? toText(value) : undefined}
      onInput={(event) => {
        const { value: text } = event.currentTarget
        onChange(field.kind === "text" ? text || undefined : toJson(text))
      }}
    />
  )
}

function toNumber(text: string): number | undefined {
  return text === "" ? undefined : Number(text)
}

/** What is not JSON yet is sent as text, and the service says what it expects. */
function toJson(text: string): unknown {
  if (text.trim() === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const count = new Intl.NumberFormat()

function toHint(field: FormField, value: unknown): string | undefined {
  if (field.kind === "number" && field.minimum !== undefined && field.maximum !== undefined) {
    return `${field.minimum} to ${field.maximum}`
  }
  if (field.kind === "json") return "JSON"
  if (field.kind === "text" && field.maxLength !== undefined) {
    const length = typeof value === "string" ? Array.from(value).length : 0
    return `${count.format(length)} of ${count.format(field.maxLength)} characters`
  }
  return undefined
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : ""
}
