/** The body of a submission, which is the body of a quote as well. */
import { toJsonText } from "./json-text.ts"

export interface Creation {
  readonly model: string
  readonly parameters: unknown
}

/** JSON. */
export function toCreationText({ model, parameters }: Creation): string {
  return `{"model":${JSON.stringify(model)},"parameters":${toJsonText(parameters)}}`
}
