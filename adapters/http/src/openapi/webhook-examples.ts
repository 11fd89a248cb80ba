/** Examples of requests and answers about webhooks. */
import type { WEBHOOK_SCHEMAS } from "./webhook-schemas.ts"

export const WEBHOOK_EXAMPLE = {
  url: "https://acme.example/hooks/safelight",
  events: ["task.succeeded", "task.failed", "task.expiring"],
}

const WEBHOOK = {
  id: "we_3f2a9c0d5b7e41868a2b3c4d",
  ...WEBHOOK_EXAMPLE,
  description: "",
  enabled: true,
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  old_secrets_end_at: null,
  created_at: 1_767_225_600,
}

const DELIVERY = {
  id: "msg_019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081_4_9c04f1d2",
  type: "task.succeeded",
  status: "delivered",
  created_at: 1_767_225_609,
  next_try_at: null,
  tries: [{ at_ms: 1_767_225_609_120, duration_ms: 84, status: 200, failure: null, answer: "ok" }],
}

export const WEBHOOK_EXAMPLES: Readonly<Record<keyof typeof WEBHOOK_SCHEMAS, object>> = {
  WebhookEndpoint: WEBHOOK,
  WebhookEndpointWithSecret: { ...WEBHOOK, secret: `whsec_${"c2FtcGxl".repeat(5)}AAA=` },
  WebhookList: { webhooks: [WEBHOOK] },
  WebhookDelivery: DELIVERY,
  WebhookDeliveryDetail: {
    ...DELIVERY,
    body: '{"type":"task.succeeded","timestamp":"2026-01-01T00:00:09.000Z","data":{}}',
  },
  WebhookDeliveryList: { deliveries: [DELIVERY], next_cursor: null },
  WebhookReplay: { replayed: 3 },
}
