/** The refusals of the body of a creation, its model's included, on the event loop and in a thread alike. */
import { PARAMETER_CODES } from "../errors/error-table.ts"
import { toRefuse } from "../errors/refusal.ts"

/** Of any JSON body, before its members are checked. */
export const JSON_BODY_REFUSALS = [
  "invalid_json",
  "duplicate_key",
  "json_too_complex",
  "request_too_large",
  "unsupported_media_type",
  "unsupported_content_encoding",
  "overloaded",
] as const

export const CREATION_REFUSALS = [
  ...JSON_BODY_REFUSALS,
  "model_not_found",
  ...PARAMETER_CODES,
] as const

export type CreationCode = (typeof CREATION_REFUSALS)[number]

export const refuse = toRefuse(CREATION_REFUSALS)
