/** /v1/webhooks/{webhook_id}/deliveries: what was sent to a webhook, what it answered, and sending it again. */
import { defineBody, described } from "../bodies/body.ts"
import * as v from "valibot"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { noBody } from "../request/body-kinds.ts"
import { DELIVERY_ID, WEBHOOK_ID } from "../request/path-parameters.ts"
import { choice, moment } from "../request/query-parameters.ts"
import { toNextCursor, toPageQuery } from "../bodies/page.ts"
import {
  deliveryDetail,
  deliveryList,
  toDeliveryBody,
  toDeliveryDetail,
} from "../bodies/webhook.ts"
import { toWebhookRefusal } from "./webhook-refusal.ts"
import { SENDING_KEY, WEBHOOK_KEY } from "./webhooks.ts"

const PATH = "/v1/webhooks/:webhook/deliveries"
const ONE_PATH = `${PATH}/:delivery` as const
const ONE = { webhook: WEBHOOK_ID, delivery: DELIVERY_ID }

const replayReport = defineBody(
  "WebhookReplay",
  { replayed: 3 },
  {
    replayed: described(v.pipe(v.number(), v.integer()), "How many are sent again."),
  },
)

export const listDeliveries = defineEndpoint({
  method: "GET",
  path: PATH,
  about: {
    id: "listWebhookDeliveries",
    tag: "Webhooks",
    summary: "What was sent to a webhook, newest first",
    description: "Deliveries are kept for 30 days.",
  },
  key: WEBHOOK_KEY,
  inPath: { webhook: WEBHOOK_ID },
  query: {
    status: choice("Deliveries of this status.", ["pending", "delivered", "failed"]),
    ...toPageQuery("deliveries"),
  },
  answers: { 200: { description: "A page of deliveries.", json: deliveryList } },
  refusals: ["webhook_not_found"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const { status, limit, cursor } = call.query
  const page = call.demand(
    await webhooks.listDeliveries({
      account: call.caller.id,
      id: call.param("webhook"),
      limit,
      ...(status !== undefined && { state: status }),
      ...(cursor && { before: { createdAt: cursor.createdAt, message: cursor.id } }),
    }),
    "webhook_not_found",
  )
  const { deliveries, next } = page
  const body = {
    deliveries: deliveries.map(toDeliveryBody),
    next_cursor: toNextCursor(next && { createdAt: next.createdAt, id: next.message }),
  }
  return call.reply(200, body)
})

export const showDelivery = defineEndpoint({
  method: "GET",
  path: ONE_PATH,
  about: {
    id: "getWebhookDelivery",
    tag: "Webhooks",
    summary: "A delivery, with what is sent and what was answered",
  },
  key: WEBHOOK_KEY,
  inPath: ONE,
  query: {},
  answers: { 200: { description: "The delivery.", json: deliveryDetail } },
  refusals: ["delivery_not_found"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const name = { account: call.caller.id, id: call.param("webhook") }
  const found = call.demand(
    await webhooks.findDelivery({ ...name, message: call.param("delivery") }),
    "delivery_not_found",
  )
  return call.reply(200, toDeliveryDetail(found))
})

export const replayDelivery = defineEndpoint({
  method: "POST",
  path: `${ONE_PATH}/replay`,
  about: {
    id: "replayWebhookDelivery",
    tag: "Webhooks",
    summary: "Send a delivery again",
    description: "The same message under the same id. One that is pending is left as it is.",
  },
  key: SENDING_KEY,
  inPath: ONE,
  query: {},
  body: noBody("This request takes no body."),
  answers: { 202: { description: "The delivery.", json: deliveryDetail } },
  refusals: ["delivery_not_found", "webhook_disabled", "concurrency_limit_exceeded"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const name = { account: call.caller.id, id: call.param("webhook") }
  const replayed = await webhooks.replayDelivery({ ...name, message: call.param("delivery") })
  if (replayed.kind === "unknown") throw call.refuse("delivery_not_found")
  if (replayed.kind !== "done") throw toWebhookRefusal(replayed)
  return call.reply(202, toDeliveryDetail(replayed.delivery))
})

export const replayFailedDeliveries = defineEndpoint({
  method: "POST",
  path: "/v1/webhooks/:webhook/replay",
  about: {
    id: "replayFailedWebhookDeliveries",
    tag: "Webhooks",
    summary: "Send every failed delivery again",
    description:
      "The oldest first, and no more than may wait: 10,000 with those that do. The parameter stands in the query; " +
      "a body is refused as `unknown_parameter`.",
  },
  key: SENDING_KEY,
  inPath: { webhook: WEBHOOK_ID },
  query: {
    since: moment("Unix seconds: deliveries that were made then or later; all by default."),
  },
  body: noBody("The body is not read: put since into the query."),
  answers: { 202: { description: "How many are sent again.", json: replayReport } },
  refusals: ["webhook_not_found", "webhook_disabled", "concurrency_limit_exceeded"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const name = { account: call.caller.id, id: call.param("webhook") }
  const replayed = await webhooks.replayFailed({ ...name, since: call.query.since ?? 0 })
  if (replayed.kind !== "done") throw toWebhookRefusal(replayed)
  return call.reply(202, { replayed: replayed.replayed })
})
