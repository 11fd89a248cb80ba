/**
 * All that is decided about the body of a creation before the service hears of it. A small body is
 * read in place and its parameters are left to the service; of a large one both halves are done in
 * a thread, and the service takes what was sealed there. Neither may answer otherwise than the
 * other: same refusals, same order, same bytes.
 */
import {
  sealParameters,
  type Digest,
  type Model,
  type SealedParameters,
  type SubmitRequest,
} from "@safelight/core"
import { refuseParameters } from "../errors/refusal.ts"
import { fingerprintCreation } from "../request/idempotency-key.ts"
import { refuse } from "./creation-refusals.ts"
import { parseCreationRequest } from "./creation-request.ts"
import { parseBody } from "./parse-body.ts"

export interface Creation extends Pick<SubmitRequest, "model" | "parameters"> {
  /** Of the whole request, where one was asked for. */
  readonly fingerprint?: string
}

export interface CreationQuestion {
  /** Whether the request has an idempotency key. */
  readonly wantsFingerprint: boolean
}

/** From bytes to a request of the right shape. Rejects with a `Refusal`. */
export async function readCreation(
  bytes: Uint8Array,
  { wantsFingerprint }: CreationQuestion,
): Promise<Creation> {
  const body = parseBody(bytes)
  const { model, parameters } = parseCreationRequest(body)
  if (!wantsFingerprint) return { model, parameters }
  return { model, parameters, fingerprint: await fingerprintCreation(body) }
}

export interface Sealing {
  readonly digest: Digest
  readonly createSalt: () => string
}

export interface SealedCreation extends Creation {
  readonly sealed: SealedParameters
}

/**
 * What the service would do first: the parameters checked by the model that the creation names,
 * defaults applied, and sealed. Throws the `Refusal` that its rejection would become.
 */
export function sealCreation(creation: Creation, model: Model, sealing: Sealing): SealedCreation {
  const check = model.check(creation.parameters)
  if (check.kind === "invalid") throw refuseParameters(refuse, check.issues)
  const { parameters } = check
  const sealed = sealParameters(sealing.digest, sealing.createSalt(), parameters)
  return { ...creation, parameters, sealed }
}
