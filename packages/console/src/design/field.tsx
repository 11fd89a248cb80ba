/**
 * A labelled control. The control is drawn by the caller with the attributes it is handed, so that the label, the hint
 * and what is wrong with the value belong to it for screen readers too.
 */
import type { ComponentChildren, JSX } from "preact"
import { useId } from "preact/hooks"
import "./field.css"

export interface ControlAttributes {
  readonly id: string
  readonly class: string
  readonly "aria-describedby": string | undefined
  readonly "aria-invalid": boolean
}

export interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  /** What is wrong with the value. */
  readonly fault?: string | undefined
  readonly children: (attributes: ControlAttributes) => ComponentChildren
}

export function Field({ label, hint, fault, children }: FieldProps): JSX.Element {
  const id = useId()
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ")
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        class: "control",
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": fault !== undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} class="field-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
