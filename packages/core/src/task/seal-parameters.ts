/**
 * Sealing a request's parameters: the text, which is kept outside the log, and the commitment to it, which is
 * kept in the log (design §3). Once text and salt are erased, nobody can tell from the
 * commitment what was asked for.
 */
import { toCanonicalJson } from "../values/canonical-json.ts"
import type { Digest } from "../values/digest.ts"
import type { Model, ParameterValues } from "../models/model.ts"
import type { SealedParameters } from "../ports/task-service.ts"

/** Known here alone: neither JSON nor a host's own object can have it. */
const SEALED: unique symbol = Symbol("sealed parameters")

/**
 * The canonical text of `parameters` and SHA-256(salt ‖ text); `salt` is 32 random hexadecimal
 * digits, used once. Throws a TypeError on values without canonical JSON.
 */
export function sealParameters(
  digest: Digest,
  salt: string,
  parameters: ParameterValues,
): SealedParameters {
  const body = toCanonicalJson(parameters)
  return { body, commitment: digest([{ hex: salt }, body]), salt }
}

interface Parameterized {
  readonly parameters: unknown
}

interface Seal extends Parameterized {
  readonly sealed: SealedParameters
  readonly model: Model
}

/**
 * The request with its parameters as they were sealed, so that they are not checked again. They must
 * be the values that `check` of this very `model` returned, defaults applied: an engine takes both as
 * they are.
 */
export function withSealedParameters<Request extends Parameterized>(
  request: Request,
  sealed: SealedParameters,
  model: Model,
): Request {
  const { parameters } = request
  return { ...request, [SEALED]: { sealed, model, parameters } satisfies Seal }
}

/**
 * The sealed parameters of the request, or of one that it is a copy of, if they belong to this very
 * `model` and these very parameters; otherwise undefined. Another model of the same id may be stricter,
 * and parameters that were replaced later are not those that were sealed.
 */
export function findSealedParameters(
  request: { readonly parameters?: unknown },
  model: Model,
): SealedParameters | undefined {
  const seal = (request as { readonly [SEALED]?: Seal })[SEALED]
  const isSealed = seal?.model === model && seal.parameters === request.parameters
  return isSealed ? seal.sealed : undefined
}
