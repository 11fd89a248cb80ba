/** One of several values, chosen from a list. */
import type { JSX } from "preact"
import { Field } from "./field.tsx"

export interface ChoiceProps {
  readonly label: string
  readonly value: string
  /** Values and what they are called. */
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly fault?: string | undefined
  readonly onChoose: (value: string) => void
}

export function Choice({ label, value, options, fault, onChoose }: ChoiceProps): JSX.Element {
  return (
    <Field label={label} fault={fault}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          {options.map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
