/** A text, a number, a choice, a switch, or JSON. */
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Field, type ControlAttributes } from "../../design/field.tsx"
import { toJson, toJsonText } from "./json-words.ts"
import { isScalar, type FieldShape, type FormField, type Scalar } from "./schema-fields.ts"

/** What is written on one line. */
const SHORT_CHARACTERS = 200

type SingleShape = Extract<
  FieldShape,
  { readonly kind: "switch" | "text" | "choice" | "number" | "json" }
>

type Single = FormField & SingleShape

export interface SingleFieldProps {
  readonly field: Single
  readonly label: string
  readonly value: unknown
  readonly fault: string | undefined
  readonly onChange: (value: unknown) => void
}

export function SingleField({ field, label, ...props }: SingleFieldProps): JSX.Element {
  const { fault, onChange, value } = props
  if (field.kind === "switch") {
    return (
      <>
        <label class="check">
          <input
            type="checkbox"
            checked={(value ?? field.preset) === true}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
          {label}
        </label>
        {fault !== undefined && (
          <p class="field-fault" role="alert">
            {fault}
          </p>
        )}
      </>
    )
  }
  return (
    <Field label={label} fault={fault} hint={toHint(field, value)}>
      {(attributes) => <Control attributes={attributes} field={field} {...props} />}
    </Field>
  )
}

interface ControlProps extends Omit<SingleFieldProps, "label"> {
  readonly attributes: ControlAttributes
}

function Control({ attributes, field, value, onChange }: ControlProps): JSX.Element {
  switch (field.kind) {
    case "choice":
      return (
        <select
          {...attributes}
          value={isScalar(value) ? String(value) : ""}
          onChange={(event) => onChange(findOption(field.options, event.currentTarget.value))}
        >
          <option value="">
            {field.preset === undefined ? "Automatic" : `${field.preset} (default)`}
          </option>
          {field.options.map((option) => (
            <option key={String(option)} value={String(option)}>
              {option === null ? "none" : String(option)}
            </option>
          ))}
        </select>
      )
    case "number":
      return (
        <input
          {...attributes}
          type="number"
          min={field.minimum}
          max={field.maximum}
          step={field.step ?? (field.isWhole ? 1 : "any")}
          placeholder={field.preset === undefined ? "Automatic" : String(field.preset)}
          value={typeof value === "number" ? String(value) : ""}
          onInput={(event) => onChange(toNumber(event.currentTarget.value))}
        />
      )
    case "json":
      return <JsonControl attributes={attributes} value={value} onChange={onChange} />
    case "text":
    case "switch":
      return <TextControl attributes={attributes} field={field} value={value} onChange={onChange} />
  }
}

function TextControl({ attributes, field, value, onChange }: Omit<ControlProps, "fault">) {
  const isShort = field.kind === "text" && (field.maxLength ?? Infinity) <= SHORT_CHARACTERS
  const shared = {
    ...attributes,
    dir: "auto",
    name: field.name,
    required: field.isRequired,
    value: typeof value === "string" ? value : "",
  } as const
  const take = (text: string): void => onChange(text || undefined)
  return isShort ? (
    <input {...shared} type="text" onInput={(event) => take(event.currentTarget.value)} />
  ) : (
    <textarea {...shared} onInput={(event) => take(event.currentTarget.value)} />
  )
}

interface JsonControlProps {
  readonly attributes: ControlAttributes
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** What is being written need not be JSON yet; a value that comes from elsewhere replaces it. */
function JsonControl({ attributes, value, onChange }: JsonControlProps): JSX.Element {
  const written = useSignal(toJsonText(value))
  const isWritten = JSON.stringify(toJson(written.value)) === JSON.stringify(value)
  return (
    <textarea
      {...attributes}
      value={isWritten ? written.value : toJsonText(value)}
      onInput={(event) => {
        written.value = event.currentTarget.value
        onChange(toJson(written.value))
      }}
    />
  )
}

function findOption(options: readonly Scalar[], text: string): Scalar | undefined {
  return text === "" ? undefined : options.find((option) => String(option) === text)
}

function toNumber(text: string): number | undefined {
  return text === "" ? undefined : Number(text)
}

const count = new Intl.NumberFormat()

function toHint(field: Single, value: unknown): string | undefined {
  if (field.kind === "json") return field.hint ?? "JSON"
  const bounds = toBounds(field, value)
  return field.hint === undefined ? bounds : [field.hint, bounds].filter(Boolean).join(" · ")
}

function toBounds(field: Single, value: unknown): string | undefined {
  if (field.kind === "number" && field.minimum !== undefined && field.maximum !== undefined) {
    return `${field.minimum} to ${field.maximum}`
  }
  if (field.kind === "text" && field.maxLength !== undefined) {
    const length = typeof value === "string" ? Array.from(value).length : 0
    return `${count.format(length)} of ${count.format(field.maxLength)} characters`
  }
  return undefined
}
