/**
 * What a channel made of a callback, as the engine may act on it: what is none of the known outcomes, or
 * names what no task can hold, is no proof of anything.
 */
import { SafelightError, type CallbackOutcome } from "@safelight/core"
import { isRecord, toOperation } from "./answer-parts.ts"

/** Throws `channel-answer-invalid`. */
export function parseCallbackAnswer(value: unknown, channel: string): CallbackOutcome {
  const kind = isRecord(value) ? value["kind"] : undefined
  switch (kind) {
    case "forged":
    case "hint":
    case "ignored":
      return { kind }
    case "verified": {
      const operation = isRecord(value) ? value["operation"] : undefined
      const parsed = toOperation(operation)
      if (parsed !== undefined) return { kind, operation: parsed }
      if (operation === undefined) return { kind }
      throw invalid(channel, "its operation is no plain JSON, or too long")
    }
    default:
      throw invalid(channel, "its kind is none")
  }
}

function invalid(channel: string, why: string): SafelightError {
  const message = `channel ${channel} made of a callback what means nothing: ${why}`
  return new SafelightError({ code: "channel-answer-invalid", message, retryable: true })
}
