/**
 * Sealing a request's parameters: the text that is kept beside the log, and the commitment to it
 * that stands in the log (design §3). Once text and salt are erased, nobody can tell from the
 * commitment what was asked for.
 */
import { toCanonicalJson } from "../canonical-json.ts"
import type { Digest } from "../digest.ts"
import type { ParameterValues } from "../models/model.ts"
import type { SealedParameters } from "../ports/task-service.ts"

/**
 * The canonical text of `parameters` and SHA-256(salt ‖ text); `salt` is 32 random hexadecimal
 * digits, used once. Whoever hands the result to a submission must have it from the values that
 * `Model.check` returned, defaults applied, and send those along: the engine takes both as they
 * are. Throws a TypeError on values without canonical JSON.
 */
export function sealParameters(
  digest: Digest,
  salt: string,
  parameters: ParameterValues,
): SealedParameters {
  const body = toCanonicalJson(parameters)
  return { body, commitment: digest([{ hex: salt }, body]), salt }
}
