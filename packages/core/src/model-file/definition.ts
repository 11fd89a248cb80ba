/**
 * What is kept of a model's file beside the log: what gives its tasks their meaning, which is their parameters,
 * what they make, and what of them is logged. A task names this definition by its digest, so that it keeps its
 * meaning also once the file was changed or removed. What a file says to people, of prices and of providers is no
 * part of it: prices are kept apart, and providers are the operator's affair.
 */
import { toCanonicalJson } from "../values/canonical-json.ts"

/** Members of a model's file that a definition has as they stand. */
const MEMBERS = ["characters", "id", "inputVideos", "outputs"] as const

export interface ReadParameters {
  /** All that are logged, also where the file names none. */
  readonly logged: readonly string[]
  /** The schema, its `$ref`s resolved. */
  readonly parameters: unknown
}

/** Canonical JSON, which is a model's file itself. */
export function toModelDefinition(
  file: Readonly<Record<string, unknown>>,
  { logged, parameters }: ReadParameters,
): string {
  const members = MEMBERS.filter((name) => file[name] !== undefined)
  const kept = Object.fromEntries(members.map((name) => [name, file[name]]))
  return toCanonicalJson({ ...kept, logged, parameters })
}
