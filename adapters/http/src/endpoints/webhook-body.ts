/** Webhooks and their deliveries as answers. No secret is among what is written here but one that is handed in. */
import { toUnixSeconds, type Delivery, type Webhook } from "@safelight/core"

/** With `secret` where it has just been made. */
export function toWebhookText(webhook: Webhook, secret?: string): string {
  return JSON.stringify({ ...toWebhookBody(webhook), ...(secret !== undefined && { secret }) })
}

export function toWebhookBody(webhook: Webhook): object {
  const { id, url, description, types, disabledAt, disabledReason, failingSince } = webhook
  return {
    id,
    url,
    description,
    events: types,
    enabled: disabledAt === 0,
    disabled_at: toMoment(disabledAt),
    disabled_reason: disabledReason?.replaceAll("-", "_") ?? null,
    failing_since: toMoment(failingSince),
    old_secrets_end_at: toMoment(webhook.oldSecretsEndAt),
    created_at: toUnixSeconds(webhook.createdAt),
  }
}

export function toDeliveryBody(delivery: Delivery): object {
  const { message, type, state, createdAt, dueAt, history } = delivery
  return {
    id: message,
    type,
    status: state,
    created_at: toUnixSeconds(createdAt),
    next_try_at: state === "pending" ? toUnixSeconds(dueAt) : null,
    tries: history.map(({ at, durationMs, status, failure, answer }) => ({
      at_ms: at,
      duration_ms: durationMs,
      status,
      failure: failure?.replaceAll("-", "_") ?? null,
      answer,
    })),
  }
}

/** With what is sent. */
export function toDeliveryText(delivery: Delivery): string {
  return JSON.stringify({ ...toDeliveryBody(delivery), body: delivery.payload })
}

function toMoment(at: number): number | null {
  return at === 0 ? null : toUnixSeconds(at)
}
