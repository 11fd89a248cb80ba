/** GET /v1/me: whose key a caller holds and what it may do. Any key that is good may ask. */
import { API_KEY_SCOPES, toUnixSeconds } from "@safelight/core"
import * as v from "valibot"
import { defineBody, described } from "../bodies/body.ts"
import { currency, whole } from "../bodies/shapes.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"

const EXAMPLE = {
  account: "default",
  key_id: "k3XUGqjZd0",
  scopes: ["tasks:read", "tasks:write"],
  expires_at: 0,
  max_retention_seconds: 2_592_000,
  currency: "USD",
  signed_log: "media.example/log",
} as const

const me = defineBody("Me", EXAMPLE, {
  account: v.string(),
  key_id: described(v.string(), "Names the key; it is no secret."),
  scopes: v.array(v.picklist(API_KEY_SCOPES)),
  expires_at: described(whole, "Unix time in seconds; 0 if the key has no end."),
  max_retention_seconds: described(
    whole,
    "How long the account may hold artifacts, from their task's end; 0: not at all.",
  ),
  currency,
  signed_log: v.optional(
    described(
      v.string(),
      "The name of the signed log, by which tasks are proved; absent if the service signs nothing.",
    ),
  ),
})

export const showMe = defineEndpoint({
  method: "GET",
  path: "/v1/me",
  about: {
    id: "getMe",
    tag: "Keys",
    summary: "Whose key this is, and what it may do",
  },
  key: { scopes: [], rate: "read" },
  query: {},
  answers: { 200: { description: "The key, without its secret.", json: me } },
  refusals: [],
}).handle(({ currency: name, proofs }) => (call) => {
  const { account, expiresAt, keyId, scopes } = call.identity
  const body = {
    account: account.id,
    key_id: keyId,
    scopes,
    expires_at: toUnixSeconds(expiresAt),
    max_retention_seconds: Math.floor(account.maxRetentionMs / 1_000),
    currency: name,
    signed_log: proofs?.identity.origin,
  }
  return call.reply(200, body)
})
