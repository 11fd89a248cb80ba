/** Which parameters go with which model: by the types of the schemas where the model is known. */
import type { ModelParameters } from "../api/models.ts"

export type ModelId = keyof ModelParameters

/** A model's id, or any text that is known at run time alone. */
export type AnyModel = ModelId | (string & {})

/**
 * Of an id that is written out and known, its own; of a `string`, anything. An id that is written out and
 * not known takes none, so that a slip is found: declare it by merging into `ModelParameters`.
 */
export type ParametersOf<Model extends string> = Model extends ModelId
  ? ModelParameters[Model]
  : string extends Model
    ? Readonly<Record<string, unknown>>
    : never
