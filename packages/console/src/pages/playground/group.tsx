/** Fields that belong together, under one name, with what is wrong with all of them. */
import type { ComponentChildren, JSX } from "preact"

export interface GroupProps {
  readonly title: string
  readonly hint: string | undefined
  readonly fault: string | undefined
  readonly children: ComponentChildren
}

export function Group({ title, hint, fault, children }: GroupProps): JSX.Element {
  return (
    <fieldset class="field parameter-group">
      <legend class="field-name">{title}</legend>
      {hint !== undefined && <p class="field-hint">{hint}</p>}
      {children}
      {fault !== undefined && (
        <p class="field-fault" role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}
