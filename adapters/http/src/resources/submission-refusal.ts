/**
 * What a caller is told where the engine does not take a submission. The account's own limits are
 * the engine's to judge, in the commit that would store the task; here they only get their words.
 */
import type { Rejection } from "@safelight/core"
import { Refusal, refuseParameters } from "../errors/refusal.ts"
import { toEcho } from "./creation-request.ts"
import { POLL_HEADERS } from "./find-task.ts"

/** Longer lists are cut: a message is read by people. */
const NAMED_MODELS = 20

/** `models` are the ids that a caller may choose from. */
export function toSubmissionRefusal(rejection: Rejection, models: readonly string[] = []): Refusal {
  switch (rejection.code) {
    case "model-not-found": {
      const message = `The model ${toEcho(rejection.model)} does not exist.${toChoices(models)}`
      return refuseParameters([{ param: "model", code: "model_not_found", message }])
    }
    case "invalid-parameters": {
      const [first, ...more] = rejection.issues
      if (first === undefined) return new Refusal("internal_error")
      return refuseParameters([first, ...more])
    }
    case "budget-exceeded":
      return new Refusal("insufficient_balance")
    case "too-many-unfinished-tasks":
      // A place is free once a task is finished: as often as that is asked for.
      return new Refusal("concurrency_limit_exceeded", { headers: POLL_HEADERS })
    case "idempotency-key-reused":
      return new Refusal("idempotency_key_reused")
    case "idempotency-key-in-use":
      return new Refusal("idempotency_key_in_use", { headers: { "retry-after": "1" } })
    case "invalid-idempotency-key":
      return new Refusal("invalid_idempotency_key")
    case "too-many-hops":
      return new Refusal("too_many_hops")
    // Whoever is authenticated has an account, and a submission meets no earlier state, attempt or deadline.
    case "invalid-account":
    case "illegal-transition":
    case "stale-attempt":
    case "stale-key":
    case "past-deadline":
    case "attempts-exhausted":
    case "not-due":
      return new Refusal("internal_error", {
        cause: new Error(`a submission was refused as ${rejection.code}`),
      })
  }
}

function toChoices(models: readonly string[]): string {
  if (models.length === 0) return ""
  const more = models.length > NAMED_MODELS ? ` and ${models.length - NAMED_MODELS} more` : ""
  return ` Choose one of: ${models.slice(0, NAMED_MODELS).join(", ")}${more}.`
}
