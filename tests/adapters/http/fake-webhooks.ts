/**
 * Webhooks as a handler knows them: `we_1` is enabled, `we_2` disabled, for `we_3` as many messages wait as may;
 * `msg_1` is a delivery of all. What is to be told apart is asked for by a description or a URL.
 */
import type { Delivery, Webhook, WebhookRejection, WebhookService } from "@safelight/core"

const WEBHOOK: Webhook = {
  id: "we_1",
  account: "account-a",
  createdAt: 1_000,
  url: "https://hooks.example/",
  description: "",
  types: ["task.succeeded"],
  disabledAt: 0,
  disabledReason: null,
  failingSince: 2_000,
  provenAt: 0,
  oldSecretsEndAt: 3_000,
}
const DISABLED: Webhook = { ...WEBHOOK, id: "we_2", disabledAt: 5_000, disabledReason: "gone" }
const FULL: Webhook = { ...WEBHOOK, id: "we_3" }

const DELIVERY: Delivery = {
  endpoint: "we_1",
  message: "msg_1",
  subject: "task",
  sequence: 1,
  type: "task.succeeded",
  payload: "{}",
  createdAt: 1_000,
  dueAt: 9_000,
  state: "pending",
  tries: 2,
  history: [
    { at: 1_000, durationMs: 5, status: 500, failure: null, answer: "no" },
    { at: 1_000, durationMs: 5, status: null, failure: "timed-out", answer: "" },
  ],
}

/** Undefined where it may be sent messages. */
function refuseSending(webhook: Webhook | undefined): WebhookRejection | undefined {
  if (webhook === undefined) return { kind: "unknown" }
  if (webhook === FULL) return { kind: "too-many-waiting", most: 10_000 }
  return webhook.disabledAt > 0 ? { kind: "disabled" } : undefined
}

/** `check` throws what every call is to fail with. */
export function createFakeWebhooks(check: () => void): WebhookService {
  function find(id: string): Webhook | undefined {
    check()
    return [WEBHOOK, DISABLED, FULL].find((each) => each.id === id)
  }
  const unknown = { kind: "unknown" } as const

  return {
    async createWebhook({ url, description }) {
      check()
      if (url.startsWith("ftp:")) return { kind: "url-not-allowed" }
      if (description === "one too many") return { kind: "too-many", most: 10 }
      return { kind: "done", webhook: WEBHOOK, secret: "whsec_c2VjcmV0" }
    },
    async listWebhooks() {
      check()
      return [WEBHOOK, DISABLED]
    },
    findWebhook: async ({ id }) => find(id),
    async updateWebhook({ id, url }) {
      const webhook = find(id)
      if (webhook === undefined) return unknown
      return url?.startsWith("ftp:") === true
        ? { kind: "url-not-allowed" }
        : { kind: "done", webhook }
    },
    deleteWebhook: async ({ id }) => find(id) !== undefined,
    async rotateWebhook({ id }) {
      const webhook = find(id)
      return webhook === undefined ? unknown : { kind: "done", webhook, secret: "whsec_c2VjcmV0" }
    },
    async testWebhook({ id }) {
      return refuseSending(find(id)) ?? { kind: "done", delivery: DELIVERY }
    },
    async findDelivery({ id, message }) {
      return find(id) !== undefined && message === "msg_1" ? DELIVERY : undefined
    },
    async listDeliveries({ id, limit }) {
      const next = limit === 1 ? { createdAt: 1_000, message: "msg_1" } : null
      return find(id) === undefined ? undefined : { deliveries: [DELIVERY], next }
    },
    async replayDelivery({ id, message }) {
      const webhook = message === "msg_1" ? find(id) : undefined
      return refuseSending(webhook) ?? { kind: "done", delivery: DELIVERY }
    },
    async replayFailed({ id }) {
      return refuseSending(find(id)) ?? { kind: "done", replayed: 3 }
    },
  }
}
