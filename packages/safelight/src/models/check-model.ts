/**
 * Checks a model that is not ours when it is loaded, and not when a task of it was bought: a malformed id,
 * parameters without bounds or that the API document can't describe, a log that would hold what a person wrote,
 * an estimate or a charge that is no amount.
 */
import {
  ARTIFACT_KINDS,
  chargeUsage,
  findDescriptionFaults,
  isSafelightError,
  LONGEST_MODEL_ID,
  MODEL_ID,
  toCanonicalJson,
  toFaultWords,
  type Model,
  type ParameterValues,
} from "@safelight/core"
import { describeParameters, toMediaKind } from "@safelight/http"
import { toFirstLine } from "../configuration/import-module.ts"
import { findChargeFault, findEstimateFault } from "./check-money.ts"
import { toSamples } from "./sample-parameters.ts"

/** Makes the error, which names where the model comes from. */
export type Refuse = (why: string, cause?: unknown) => Error

const KINDS: ReadonlySet<unknown> = new Set(ARTIFACT_KINDS)

/** The model that a file exports or a host passes in. Throws what `refuse` makes. */
export function toModel(found: unknown, refuse: Refuse): Model {
  const model = requireMembers(found, refuse)
  if (!MODEL_ID.test(model.id) || model.id.length > LONGEST_MODEL_ID) {
    throw refuse("needs an id such as acme/painter-2/text-to-image, of at most 200 characters")
  }
  const media = model.media ?? {}
  const described = describe(model, refuse)
  // Valibot's objects take other members unless they are strict; it is asked without the description.
  const isOpen = model.described === undefined
  const reading = { isOpen, toKind: toMediaKind }
  const faults = findDescriptionFaults(described, { ...model, media }, reading)
  if (faults.length > 0) throw refuse(toFaultWords(faults))
  const fault = findChargeFault(model)
  if (fault !== undefined) throw refuse(fault)
  // Core's arithmetic, which no usage makes throw after a purchase.
  const checked = { ...model, media, charge: chargeUsage }
  for (const sample of toSamples(described)) tryOut(checked, sample, refuse)
  return checked
}

function requireMembers(found: unknown, refuse: Refuse): Model {
  if (typeof found !== "object" || found === null) {
    throw refuse("has no default export that is a model: export default defineModel({ … })")
  }
  const model = found as Model
  if (typeof model.id !== "string") throw refuse("exports no model: id must be a string")
  requireFunctions(model, ["check", "toLogged", "estimate"], refuse)
  if (!isKinds(model.artifacts)) {
    const kinds = ARTIFACT_KINDS.join(", ")
    throw refuse(`exports no model: artifacts must be one or several of ${kinds}, each once`)
  }
  requireFunctions(model, ["charge"], refuse)
  const { parameters } = model
  if (typeof parameters !== "object" || Object(parameters).kind !== "schema" || parameters.async) {
    throw refuse(
      "exports no model: parameters must be a schema of valibot, zod, arktype or another library with Standard Schema, and no asynchronous one",
    )
  }
  return model
}

function requireFunctions(model: Model, names: readonly (keyof Model)[], refuse: Refuse): void {
  const lacking = names.find((name) => typeof model[name] !== "function")
  if (lacking === undefined) return
  throw refuse(`exports no model: ${lacking} is no function; defineModel makes it`)
}

function isKinds(artifacts: unknown): boolean {
  if (!Array.isArray(artifacts) || !artifacts.every((each) => KINDS.has(each))) return false
  return artifacts.length > 0 && new Set(artifacts).size === artifacts.length
}

function describe(model: Model, refuse: Refuse): ReturnType<typeof describeParameters> {
  try {
    return describeParameters(model)
  } catch (error) {
    if (!isSafelightError(error)) throw error
    throw refuse(error.message, error)
  }
}

/** Does with a sample everything that is done with a request before and after the purchase. */
function tryOut(model: Model, sample: ParameterValues, refuse: Refuse): void {
  const told = JSON.stringify(sample)
  try {
    const check = model.check(sample)
    // No sample fits a pattern, for example.
    if (check.kind === "invalid") return
    toCanonicalJson(check.parameters)
    toCanonicalJson(model.toLogged(check.parameters))
    const fault = findEstimateFault(model, check.parameters)
    if (fault === undefined) return
    throw new TypeError(fault)
  } catch (error) {
    throw refuse(`fails for the parameters ${told}: ${toFirstLine(error)}`, error)
  }
}
