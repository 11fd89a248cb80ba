/** The JSON bodies about webhooks that are answered; see `response-schemas.ts`. */
import { WEBHOOK_TYPES } from "@safelight/core"
import * as v from "valibot"

const unixSeconds = v.pipe(v.number(), v.integer(), v.minValue(0))

const webhook = v.object({
  id: v.string(),
  url: v.string(),
  description: v.pipe(v.string(), v.description("The account's own words.")),
  events: v.pipe(v.array(v.picklist(WEBHOOK_TYPES)), v.description("The types that are sent.")),
  enabled: v.boolean(),
  disabled_at: v.pipe(
    v.nullable(unixSeconds),
    v.description("Unix time in seconds; null while enabled."),
  ),
  disabled_reason: v.pipe(
    v.nullable(v.picklist(["gone", "failing", "account", "secret_lost"])),
    v.description(
      "`gone`: it answered 410. `failing`: it had failed for days. `account`: the account asked for it. " +
        "`secret_lost`: its secret can't be read; rotate it, then enable the webhook.",
    ),
  ),
  failing_since: v.pipe(
    v.nullable(unixSeconds),
    v.description("Since when no message was taken; null while messages are."),
  ),
  old_secrets_end_at: v.pipe(
    v.nullable(unixSeconds),
    v.description("Until then messages are signed with secrets of before a rotation, too."),
  ),
  created_at: unixSeconds,
})

const withSecret = v.object({
  ...webhook.entries,
  secret: v.pipe(
    v.string(),
    v.description("What messages are signed with, `whsec_…`. It can't be shown again."),
  ),
})

const webhookList = v.object({
  webhooks: v.pipe(v.array(webhook), v.description("Oldest first.")),
})

const delivery = v.object({
  id: v.pipe(v.string(), v.description("The message's `webhook-id`.")),
  type: v.string(),
  status: v.pipe(
    v.picklist(["pending", "delivered", "failed"]),
    v.description("`failed`: given up; it may be replayed."),
  ),
  created_at: unixSeconds,
  next_try_at: v.pipe(v.nullable(unixSeconds), v.description("Null unless it is pending.")),
  tries: v.pipe(
    v.array(
      v.object({
        at_ms: v.pipe(v.number(), v.integer(), v.description("Unix milliseconds.")),
        duration_ms: v.pipe(v.number(), v.integer()),
        status: v.pipe(
          v.nullable(v.pipe(v.number(), v.integer())),
          v.description("Of the answer; null if there was none."),
        ),
        failure: v.pipe(
          v.nullable(v.string()),
          v.description("Why there was no answer, as a short code."),
        ),
        answer: v.pipe(v.string(), v.description("The beginning of the answer's body.")),
      }),
    ),
    v.description("Oldest first, the last twenty at most."),
  ),
})

const deliveryDetail = v.object({
  ...delivery.entries,
  body: v.pipe(v.string(), v.description("What is sent, to the byte.")),
})

const deliveryList = v.object({
  deliveries: v.pipe(v.array(delivery), v.description("Newest first.")),
  next_cursor: v.pipe(
    v.nullable(v.string()),
    v.description("What `cursor` takes to go on; null at the end of the list."),
  ),
})

const replayReport = v.object({
  replayed: v.pipe(v.number(), v.integer(), v.description("How many are sent again.")),
})

/** By the name they have in the document. */
export const WEBHOOK_SCHEMAS = {
  WebhookEndpoint: webhook,
  WebhookEndpointWithSecret: withSecret,
  WebhookList: webhookList,
  WebhookDelivery: delivery,
  WebhookDeliveryDetail: deliveryDetail,
  WebhookDeliveryList: deliveryList,
  WebhookReplay: replayReport,
} as const
