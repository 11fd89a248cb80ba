/** The fields of an object: of the whole form, or of one within it. */
import type { ApiError } from "@safelight/client"
import type { JSX } from "preact"
import { withMember } from "./field-values.ts"
import type { Part as FieldPart } from "./part.ts"
import type { FormField, Values } from "./schema-fields.ts"

export interface ParametersProps {
  readonly Part: FieldPart
  readonly fields: readonly FormField[]
  /** Of the object, as the service names it: `parameters`, `parameters.elements[1]`. */
  readonly path: string
  readonly values: Values
  readonly error: ApiError | undefined
  readonly onChange: (values: Values) => void
}

export function Parameters({
  Part,
  fields,
  path,
  values,
  error,
  onChange,
}: ParametersProps): JSX.Element {
  return (
    <div class="parameters">
      {fields.map((field) => (
        <div key={field.name} class={`parameter is-${field.kind}`}>
          <Part
            field={field}
            path={`${path}.${field.name}`}
            value={values[field.name]}
            error={error}
            onChange={(value) => onChange(withMember(values, field.name, value))}
          />
        </div>
      ))}
    </div>
  )
}
