/** The type of the parameters of a model. */
import type { ModelParameters } from "../api/models.ts"

export type ModelId = keyof ModelParameters

/** Any string, with completion for the known ids. */
export type AnyModel = ModelId | (string & {})

/**
 * The parameters of a known id; any object for a `string`. For a literal that is no known id it is `never`,
 * so that a misspelt id is an error: declare a model of your own by merging into `ModelParameters`.
 */
export type ParametersOf<Model extends string> = Model extends ModelId
  ? ModelParameters[Model]
  : string extends Model
    ? Readonly<Record<string, unknown>>
    : never
