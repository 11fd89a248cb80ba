/**
 * /v1/webhooks: the endpoints of an account. All of it needs one scope, reading too: a URL may hold a token of
 * the receiver's.
 */
import { fields, text, WEBHOOK_LIMITS, WEBHOOK_TYPES } from "@safelight/core"
import * as v from "valibot"
import {
  WEBHOOK_EXAMPLE,
  deliveryDetail,
  toDeliveryDetail,
  toWebhookBody,
  webhook,
  webhookList,
  webhookWithSecret,
} from "../bodies/webhook.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { noBody } from "../request/body-kinds.ts"
import { jsonBody } from "../request/json-body.ts"
import { WEBHOOK_ID } from "../request/path-parameters.ts"
import { integer } from "../request/query-parameters.ts"
import { toWebhookRefusal } from "./webhook-refusal.ts"

const PATH = "/v1/webhooks"
const ONE_PATH = "/v1/webhooks/:webhook"
export const WEBHOOK_KEY = { scopes: ["webhooks:write"], rate: "read" } as const
/** For what has messages sent, as the creation of a task has. */
export const SENDING_KEY = { ...WEBHOOK_KEY, rate: "create" } as const
const IN_PATH = { webhook: WEBHOOK_ID }

const url = text(1, WEBHOOK_LIMITS.urlCharacters)
const description = v.exactOptional(text(0, WEBHOOK_LIMITS.descriptionCharacters))
const events = v.exactOptional(v.pipe(v.array(v.picklist(WEBHOOK_TYPES)), v.minLength(1)))

const newWebhook = jsonBody({
  schema: fields({ url, description, events }),
  example: WEBHOOK_EXAMPLE,
})
const webhookChange = jsonBody({
  schema: fields({
    url: v.exactOptional(url),
    description,
    events,
    enabled: v.exactOptional(v.boolean()),
  }),
  example: { enabled: true },
})

export const listWebhooks = defineEndpoint({
  method: "GET",
  path: PATH,
  about: { id: "listWebhooks", tag: "Webhooks", summary: "The account's webhooks" },
  key: WEBHOOK_KEY,
  query: {},
  answers: { 200: { description: "All of them.", json: webhookList } },
  refusals: [],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const found = await webhooks.listWebhooks(call.caller.id)
  return call.reply(200, { webhooks: found.map(toWebhookBody) })
})

export const createWebhook = defineEndpoint({
  method: "POST",
  path: PATH,
  about: {
    id: "createWebhook",
    tag: "Webhooks",
    summary: "Create a webhook",
    description:
      "From now on the chosen events of the account's tasks are posted to `url`, signed by " +
      "[Standard Webhooks](https://www.standardwebhooks.com); by default that a task succeeded or " +
      "failed. Whatever is not answered with 2xx within 15 seconds is sent again, for 75 hours. " +
      "Redirects are not followed.",
  },
  key: WEBHOOK_KEY,
  body: newWebhook,
  answers: {
    201: { description: "The webhook with its secret.", json: webhookWithSecret },
  },
  refusals: ["url_not_allowed", "webhook_limit_exceeded"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const { events: types, ...given } = await call.body()
  const made = await webhooks.createWebhook({
    account: call.caller.id,
    ...given,
    ...(types !== undefined && { types }),
  })
  if (made.kind !== "done") throw toWebhookRefusal(made)
  return call.reply(201, { ...toWebhookBody(made.webhook), secret: made.secret })
})

export const showWebhook = defineEndpoint({
  method: "GET",
  path: ONE_PATH,
  about: { id: "getWebhook", tag: "Webhooks", summary: "A webhook" },
  key: WEBHOOK_KEY,
  inPath: IN_PATH,
  query: {},
  answers: { 200: { description: "The webhook, without its secret.", json: webhook } },
  refusals: ["webhook_not_found"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const name = { account: call.caller.id, id: call.param("webhook") }
  const found = call.demand(await webhooks.findWebhook(name), "webhook_not_found")
  return call.reply(200, toWebhookBody(found))
})

export const updateWebhook = defineEndpoint({
  method: "PATCH",
  path: ONE_PATH,
  about: {
    id: "updateWebhook",
    tag: "Webhooks",
    summary: "Change a webhook",
    description:
      "What is not given stays. `enabled: false` gives up the deliveries that wait; `enabled: true` " +
      "begins anew, whatever it was disabled for, and so does another `url`: it is sent one message " +
      "at a time until it has taken one.",
  },
  key: WEBHOOK_KEY,
  inPath: IN_PATH,
  body: webhookChange,
  answers: { 200: { description: "The webhook as it is now.", json: webhook } },
  refusals: ["webhook_not_found", "url_not_allowed"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const { events: types, enabled, ...given } = await call.body()
  const changed = await webhooks.updateWebhook({
    account: call.caller.id,
    id: call.param("webhook"),
    ...given,
    ...(types !== undefined && { types }),
    ...(enabled !== undefined && { isEnabled: enabled }),
  })
  if (changed.kind !== "done") throw toWebhookRefusal(changed)
  return call.reply(200, toWebhookBody(changed.webhook))
})

export const deleteWebhook = defineEndpoint({
  method: "DELETE",
  path: ONE_PATH,
  about: {
    id: "deleteWebhook",
    tag: "Webhooks",
    summary: "Delete a webhook",
    description: "Its deliveries go with it.",
  },
  key: WEBHOOK_KEY,
  inPath: IN_PATH,
  query: {},
  body: noBody("This request takes no body."),
  answers: {
    204: { description: "Nothing more is sent.", always: ["X-Request-Id", "Cache-Control"] },
  },
  refusals: ["webhook_not_found"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const name = { account: call.caller.id, id: call.param("webhook") }
  if (!(await webhooks.deleteWebhook(name))) throw call.refuse("webhook_not_found")
  return call.reply(204)
})

export const rotateWebhookSecret = defineEndpoint({
  method: "POST",
  path: `${ONE_PATH}/rotate`,
  about: {
    id: "rotateWebhookSecret",
    tag: "Webhooks",
    summary: "Replace a webhook's secret",
    description:
      "Until the overlap ends messages are signed with the old secret too. A secret that leaked is " +
      "replaced with `overlap_seconds=0`. The parameter stands in the query.",
  },
  key: WEBHOOK_KEY,
  inPath: IN_PATH,
  query: {
    overlap_seconds: integer("Seconds for which the old secret still counts.", {
      min: 0,
      max: WEBHOOK_LIMITS.overlapSeconds,
      byDefault: 86_400,
    }),
  },
  body: noBody("The body is not read: put overlap_seconds into the query."),
  answers: {
    200: { description: "The webhook with its new secret.", json: webhookWithSecret },
  },
  refusals: ["webhook_not_found"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const name = { account: call.caller.id, id: call.param("webhook") }
  const overlapMs = call.query.overlap_seconds * 1_000
  const rotated = await webhooks.rotateWebhook({ ...name, overlapMs })
  if (rotated.kind !== "done") throw toWebhookRefusal(rotated)
  return call.reply(200, { ...toWebhookBody(rotated.webhook), secret: rotated.secret })
})

export const testWebhook = defineEndpoint({
  method: "POST",
  path: `${ONE_PATH}/test`,
  about: {
    id: "testWebhook",
    tag: "Webhooks",
    summary: "Send a test message",
    description: "A message of type `webhook.test`; look at the delivery to see what became of it.",
  },
  key: SENDING_KEY,
  inPath: IN_PATH,
  query: {},
  body: noBody("This request takes no body."),
  answers: { 202: { description: "The delivery.", json: deliveryDetail } },
  refusals: ["webhook_not_found", "webhook_disabled", "concurrency_limit_exceeded"],
}).handleWith("webhooks", (webhooks) => async (call) => {
  const name = { account: call.caller.id, id: call.param("webhook") }
  const tested = await webhooks.testWebhook(name)
  if (tested.kind !== "done") throw toWebhookRefusal(tested)
  return call.reply(202, toDeliveryDetail(tested.delivery))
})
