/** How a webhook fares, in words. */
import type { WebhookEndpoint } from "@safelight/client"

const REASONS = {
  gone: "Switched off: it answered that it is gone",
  failing: "Switched off: it had failed for days",
  account: "Switched off",
  secret_lost: "Switched off: its secret can't be read, replace it",
} as const

export function toCondition(webhook: WebhookEndpoint): string {
  const { enabled, disabled_reason: reason, failing_since: failing } = webhook
  if (!enabled) return reason === null ? "Switched off" : REASONS[reason]
  return failing === null ? "Working" : "Failing"
}
