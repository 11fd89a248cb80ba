/** GET /v1/me: whose key a caller holds and what it may do. Any key that is good may ask. */
import { toUnixSeconds } from "@safelight/core"
import { defineEndpoint } from "../endpoint.ts"

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
  answers: { 200: { description: "The key, without its secret.", json: "Me" } },
  refusals: [],
}).handle((_services) => (call) => {
  const { account, expiresAt, keyId, scopes } = call.identity
  const body = {
    account: account.id,
    key_id: keyId,
    scopes,
    expires_at: toUnixSeconds(expiresAt),
    max_retention_seconds: Math.floor(account.maxRetentionMs / 1_000),
  }
  return call.reply(200, JSON.stringify(body))
})
