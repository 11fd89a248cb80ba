/**
 * Turns the engine's rejection of a submission into a refusal. The account's limits are judged in the commit
 * that would store the task; here they only get their message.
 */
import { toEcho, type Rejection, type UnavailableReason } from "@safelight/core"
import { CREATION_REFUSALS, type CreationCode } from "../body/creation-refusals.ts"
import { refuseParameters, type Refusal, type Refuse } from "../errors/refusal.ts"
import { toLabelMessage } from "../request/labels.ts"
import { POLL_HEADERS } from "./find-task.ts"

export const SUBMISSION_REFUSALS = [
  ...CREATION_REFUSALS,
  "invalid_idempotency_key",
  "invalid_label",
  "too_many_hops",
  "idempotency_key_reused",
  "idempotency_key_in_use",
  "insufficient_balance",
  "max_cost_exceeded",
  "quote_expired",
  "concurrency_limit_exceeded",
  "model_unavailable",
] as const

export type SubmissionCode = (typeof SUBMISSION_REFUSALS)[number]

/** What a caller may know: nothing of providers, keys or machines. */
const UNAVAILABLE: Readonly<Record<UnavailableReason, string>> = {
  no_worker: "nothing works on tasks",
  no_channel: "nothing that works on tasks can make it",
  paused: "it is paused",
}

/** It takes an operator, or a process that starts. */
const UNAVAILABLE_HEADERS = { "retry-after": "30" } as const

/** Longer lists are cut: a message is read by people. */
const NAMED_MODELS = 20

/** `models` are the ids that a caller may choose from. Throws if the rejection is a bug of ours. */
export function toSubmissionRefusal(
  refuse: Refuse<SubmissionCode>,
  rejection: Rejection,
  models: readonly string[],
): Refusal {
  switch (rejection.code) {
    case "model-not-found":
    case "invalid-parameters":
      return toCreationRefusal(refuse, rejection, models)
    case "max-cost-exceeded": {
      const { costMicros, maxCostMicros } = rejection
      const message = `The task could cost ${costMicros} micro-units, and at most ${maxCostMicros} are allowed.`
      return refuse("max_cost_exceeded", { message })
    }
    case "model-unavailable": {
      const message = `The model ${rejection.model} can't be made for now: ${UNAVAILABLE[rejection.reason]}.`
      return refuse("model_unavailable", { message, headers: UNAVAILABLE_HEADERS })
    }
    case "quote-expired":
      return refuse("quote_expired")
    case "budget-exceeded":
      return refuse("insufficient_balance")
    case "too-many-unfinished-tasks":
      // There is room once a task is finished, which a client learns by polling.
      return refuse("concurrency_limit_exceeded", { headers: POLL_HEADERS })
    case "idempotency-key-reused":
      return refuse("idempotency_key_reused")
    case "idempotency-key-in-use":
      return refuse("idempotency_key_in_use", { headers: { "retry-after": "1" } })
    case "invalid-idempotency-key":
      return refuse("invalid_idempotency_key")
    case "invalid-labels":
      return refuse("invalid_label", { message: toLabelMessage(rejection.fault) })
    case "too-many-hops":
      return refuse("too_many_hops")
    // Whoever is authenticated has an account, and a submission meets no earlier state, attempt or deadline.
    case "invalid-account":
    case "illegal-transition":
    case "stale-attempt":
    case "stale-dispatch":
    case "stale-key":
    case "past-deadline":
    case "attempts-exhausted":
    case "not-due":
    case "artifacts-expired":
      throw new Error(`a submission was refused as ${rejection.code}`)
  }
}

/** Of the body alone; throws if the rejection is of something else. */
export function toCreationRefusal(
  refuse: Refuse<CreationCode>,
  rejection: Rejection,
  models: readonly string[],
): Refusal {
  if (rejection.code === "invalid-parameters") return refuseParameters(refuse, rejection.issues)
  if (rejection.code !== "model-not-found") {
    throw new Error(`a body was refused as ${rejection.code}`)
  }
  const message = toUnknownModelText(rejection.model, models)
  return refuseParameters(refuse, [{ param: "model", code: "model_not_found", message }])
}

export function toUnknownModelText(id: string, models: readonly string[]): string {
  return `The model ${toEcho(id)} does not exist.${toChoices(models)}`
}

function toChoices(models: readonly string[]): string {
  if (models.length === 0) return ""
  const more = models.length > NAMED_MODELS ? ` and ${models.length - NAMED_MODELS} more` : ""
  return ` Choose one of: ${models.slice(0, NAMED_MODELS).join(", ")}${more}.`
}
