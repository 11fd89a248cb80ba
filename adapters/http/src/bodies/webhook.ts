/** Webhooks and their deliveries. No secret is among what is answered but one that is handed in. */
import { toUnixSeconds, WEBHOOK_TYPES, type Delivery, type Webhook } from "@safelight/core"
import * as v from "valibot"
import { defineBody, described, type Shown } from "./body.ts"
import { nextCursor } from "./page.ts"
import { whole } from "./shapes.ts"

/** What a request for a webhook may give. */
export const WEBHOOK_EXAMPLE = {
  url: "https://acme.example/hooks/safelight",
  events: ["task.succeeded", "task.failed", "task.expiring"],
} as const

const EXAMPLE = {
  id: "we_3f2a9c0d5b7e41868a2b3c4d",
  ...WEBHOOK_EXAMPLE,
  description: "",
  enabled: true,
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  old_secrets_end_at: null,
  created_at: 1_767_225_600,
} as const

export const webhook = defineBody("WebhookEndpoint", EXAMPLE, {
  id: v.string(),
  url: v.string(),
  description: described(v.string(), "The account's own words."),
  events: described(v.array(v.picklist(WEBHOOK_TYPES)), "The types that are sent."),
  enabled: v.boolean(),
  disabled_at: described(v.nullable(whole), "Unix time in seconds; null while enabled."),
  disabled_reason: described(
    v.nullable(v.picklist(["gone", "failing", "account", "secret_lost"])),
    "`gone`: it answered 410. `failing`: it had failed for days. `account`: the account asked for it. " +
      "`secret_lost`: its secret can't be read; rotate it, then enable the webhook.",
  ),
  failing_since: described(
    v.nullable(whole),
    "Since when no message was taken; null while messages are.",
  ),
  old_secrets_end_at: described(
    v.nullable(whole),
    "Until then messages are signed with secrets of before a rotation, too.",
  ),
  created_at: whole,
})

export const webhookWithSecret = defineBody(
  "WebhookEndpointWithSecret",
  { ...EXAMPLE, secret: `whsec_${"c2FtcGxl".repeat(5)}AAA=` },
  {
    ...webhook.entries,
    secret: described(
      v.string(),
      "What messages are signed with, `whsec_…`. It can't be shown again.",
    ),
  },
)

export const webhookList = defineBody(
  "WebhookList",
  { webhooks: [EXAMPLE] },
  { webhooks: described(v.array(webhook), "Oldest first.") },
)

const DELIVERY = {
  id: "msg_019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081_4_9c04f1d2",
  type: "task.succeeded",
  status: "delivered",
  created_at: 1_767_225_609,
  next_try_at: null,
  tries: [{ at_ms: 1_767_225_609_120, duration_ms: 84, status: 200, failure: null, answer: "ok" }],
} as const

export const delivery = defineBody("WebhookDelivery", DELIVERY, {
  id: described(v.string(), "The message's `webhook-id`."),
  type: v.string(),
  status: described(
    v.picklist(["pending", "delivered", "failed"]),
    "`failed`: given up; it may be replayed.",
  ),
  created_at: whole,
  next_try_at: described(v.nullable(whole), "Null unless it is pending."),
  tries: described(
    v.array(
      v.object({
        at_ms: described(v.pipe(v.number(), v.integer()), "Unix milliseconds."),
        duration_ms: v.pipe(v.number(), v.integer()),
        status: described(
          v.nullable(v.pipe(v.number(), v.integer())),
          "Of the answer; null if there was none.",
        ),
        failure: described(v.nullable(v.string()), "Why there was no answer, as a short code."),
        answer: described(v.string(), "The beginning of the answer's body."),
      }),
    ),
    "Oldest first, the last twenty at most.",
  ),
})

const DELIVERY_DETAIL_EXAMPLE = {
  ...DELIVERY,
  body: '{"type":"task.succeeded","timestamp":"2026-01-01T00:00:09.000Z","data":{}}',
} as const

export const deliveryDetail = defineBody("WebhookDeliveryDetail", DELIVERY_DETAIL_EXAMPLE, {
  ...delivery.entries,
  body: described(v.string(), "What is sent, to the byte."),
})

export const deliveryList = defineBody(
  "WebhookDeliveryList",
  { deliveries: [DELIVERY], next_cursor: null },
  {
    deliveries: described(v.array(delivery), "Newest first."),
    next_cursor: nextCursor,
  },
)

const REASONS = {
  gone: "gone",
  failing: "failing",
  account: "account",
  "secret-lost": "secret_lost",
} as const

export function toWebhookBody(shown: Webhook): Shown<typeof webhook> {
  const { id, url, description, types, disabledAt, disabledReason, failingSince } = shown
  return {
    id,
    url,
    description,
    events: types,
    enabled: disabledAt === 0,
    disabled_at: toMoment(disabledAt),
    disabled_reason: disabledReason && REASONS[disabledReason],
    failing_since: toMoment(failingSince),
    old_secrets_end_at: toMoment(shown.oldSecretsEndAt),
    created_at: toUnixSeconds(shown.createdAt),
  }
}

export function toDeliveryBody(shown: Delivery): Shown<typeof delivery> {
  const { message, type, state, createdAt, dueAt, history } = shown
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
export function toDeliveryDetail(shown: Delivery): Shown<typeof deliveryDetail> {
  return { ...toDeliveryBody(shown), body: shown.payload }
}

function toMoment(at: number): number | null {
  return at === 0 ? null : toUnixSeconds(at)
}
