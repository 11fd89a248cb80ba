/** A field within a form. Fields that have parts are handed the component of a field, since each is in the other. */
import type { ApiError } from "@safelight/client"
import type { JSX } from "preact"
import type { FormField } from "./schema-fields.ts"

export interface PartProps<Field extends FormField = FormField> {
  readonly field: Field
  /** As the service names it: `parameters.elements[1].image_url`. */
  readonly path: string
  readonly value: unknown
  /** What the service refused. */
  readonly error: ApiError | undefined
  /** Undefined if nothing is to be sent. */
  readonly onChange: (value: unknown) => void
}

export type Part = (props: PartProps) => JSX.Element

export interface WholeProps<Field extends FormField> extends PartProps<Field> {
  readonly Part: Part
}
