/**
 * Reads the body of a creation before the service is asked. A small body is read on the event loop, and
 * the service checks and seals its parameters. For a large one both are done in a thread, and the service
 * takes the sealed parameters. The two ways must not differ: same refusals, same order, same bytes.
 */
import {
  createTextDigest,
  fields,
  sealParameters,
  toCanonicalJson,
  toParameterIssue,
  type Digest,
  type Model,
  type SealedParameters,
  type SubmitRequest,
} from "@safelight/core"
import * as v from "valibot"
import { refuseParameters } from "../errors/refusal.ts"
import { refuse } from "./creation-refusals.ts"
import { parseBody } from "./parse-body.ts"

export interface Creation extends Pick<SubmitRequest, "model" | "parameters"> {
  /** Of the whole request, if one was asked for. */
  readonly fingerprint?: string
}

export interface CreationQuestion {
  /** Whether the request has an idempotency key. */
  readonly wantsFingerprint: boolean
}

/** As it was sent: a schema of members would drop those called `__proto__`. */
const anyObject = { ...v.custom<object>(isObject), expects: "Object" as const }
const creationRequest = fields({ model: v.string(), parameters: anyObject })

/** Parses bytes to a request of the right shape. Rejects with a `Refusal`. */
export async function readCreation(
  bytes: Uint8Array,
  { wantsFingerprint }: CreationQuestion,
): Promise<Creation> {
  const body = parseBody(bytes)
  const { model, parameters } = parseShape(body)
  if (!wantsFingerprint) return { model, parameters }
  return { model, parameters, fingerprint: await fingerprint(body) }
}

/**
 * Exactly `model` and `parameters` (specification §2.3); the model judges what is in `parameters`. Throws a
 * `Refusal` that names everything wrong with the shape.
 */
function parseShape(body: unknown): Pick<Creation, "model" | "parameters"> {
  if (!isObject(body)) {
    throw refuse("invalid_type", { message: "The request body must be a JSON object." })
  }
  const checked = v.safeParse(creationRequest, body)
  if (checked.success) return checked.output
  const issues = checked.issues.map((issue) => toParameterIssue("", issue))
  throw refuseParameters(refuse, issues)
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

const sha256 = createTextDigest(globalThis)

/**
 * SHA-256 of the creation request with this body, as 64 lower-case hexadecimal digits: white space
 * and the order of members make no difference, every value does.
 */
function fingerprint(body: unknown): string | Promise<string> {
  return sha256(`POST\n/v1/tasks\n${toText(body)}`)
}

/**
 * Half a character and a number beyond what JSON can hold have no canonical text. No model takes either,
 * so the fingerprint is never stored and any text will do; the service says what is wrong.
 */
function toText(body: unknown): string {
  try {
    return toCanonicalJson(body)
  } catch (error) {
    if (error instanceof TypeError) return JSON.stringify(body)
    throw error
  }
}

export interface Sealing {
  readonly digest: Digest
  readonly createSalt: () => string
}

export interface SealedCreation extends Creation {
  readonly sealed: SealedParameters
}

/**
 * Does what the service would do first: checks the parameters by the model that the creation names,
 * applies defaults and seals them. Throws the `Refusal` that the service's rejection would become.
 */
export function sealCreation(creation: Creation, model: Model, sealing: Sealing): SealedCreation {
  const check = model.check(creation.parameters)
  if (check.kind === "invalid") throw refuseParameters(refuse, check.issues)
  const { parameters } = check
  const sealed = sealParameters(sealing.digest, sealing.createSalt(), parameters)
  return { ...creation, parameters, sealed }
}
