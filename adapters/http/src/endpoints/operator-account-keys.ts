/**
 * /v1/admin/accounts/{account}/keys: the keys of one account. A secret is in the answer that makes it, and nowhere
 * else: whoever loses that answer makes another key.
 */
import { API_KEY_SCOPES, fields, isAccountName, SETTING_BOUNDS } from "@safelight/core"
import * as v from "valibot"
import { apiKey, apiKeyList, newApiKey, rotatedApiKey, toKeyBody } from "../bodies/api-key.ts"
import { noBody } from "../request/body-kinds.ts"
import { jsonBody } from "../request/json-body.ts"
import { ACCOUNT, API_KEY_ID } from "../request/path-parameters.ts"
import { ONE_ACCOUNT_PATH } from "./operator-accounts.ts"
import { defineOperatorEndpoint } from "./operator-endpoint.ts"

const PATH = `${ONE_ACCOUNT_PATH}/keys` as const
const ONE_PATH = `${PATH}/:key` as const
const IN_PATH = { account: ACCOUNT }
const ONE_IN_PATH = { account: ACCOUNT, key: API_KEY_ID }
/** Any other text is no key's id, and no storage is asked for it. */
const KEY_ID = /^[0-9A-Za-z]{10}$/
const MAX_SECONDS = SETTING_BOUNDS.maxDurationMs / 1_000

const seconds = (min: number) =>
  v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(MAX_SECONDS)))

const newKey = jsonBody({
  schema: fields({
    scopes: v.exactOptional(
      v.pipe(
        v.array(v.picklist(API_KEY_SCOPES)),
        v.minLength(1),
        v.maxLength(API_KEY_SCOPES.length),
      ),
    ),
    expires_in: seconds(1),
  }),
  example: { scopes: ["tasks:write", "tasks:read"], expires_in: 2_592_000 },
})

const rotationTerms = jsonBody({
  schema: fields({ grace_seconds: seconds(0), expires_in: seconds(1) }),
  example: { grace_seconds: 3_600 },
})

export const listKeys = defineOperatorEndpoint({
  method: "GET",
  path: PATH,
  about: {
    id: "listApiKeys",
    summary: "An account's API keys, oldest first",
    description: "Revoked and expired ones too. No secret is shown.",
  },
  inPath: IN_PATH,
  query: {},
  answers: { 200: { description: "All of them.", json: apiKeyList } },
  refusals: ["account_not_found"],
}).handle((insight) => async (call) => {
  const account = call.param("account")
  const keys = call.demand(
    isAccountName(account) ? await insight.accounts.listKeys(account) : undefined,
    "account_not_found",
  )
  return call.reply(200, { keys: keys.map(toKeyBody) })
})

export const createKey = defineOperatorEndpoint({
  method: "POST",
  path: PATH,
  about: {
    id: "createApiKey",
    summary: "Make an API key",
    description:
      "`key` is shown only now. Without `scopes` it may do all but `admin`; without `expires_in`, in seconds, it " +
      "does not end. Each request makes another key.",
  },
  inPath: IN_PATH,
  query: {},
  body: newKey,
  answers: { 201: { description: "The key with its secret.", json: newApiKey } },
  refusals: ["account_not_found"],
}).handle((insight) => async (call) => {
  const account = call.param("account")
  const { expires_in: expiresIn, scopes } = await call.body()
  const request = {
    account,
    // Each once, in their order.
    ...(scopes && { scopes: API_KEY_SCOPES.filter((scope) => scopes.includes(scope)) }),
    ...(expiresIn !== undefined && { lifetimeMs: expiresIn * 1_000 }),
  }
  const made = call.demand(
    isAccountName(account)
      ? await insight.accounts.createKey(request, call.identity.keyId)
      : undefined,
    "account_not_found",
  )
  return call.reply(201, { ...toKeyBody(made.view), key: made.key })
})

export const revokeKey = defineOperatorEndpoint({
  method: "POST",
  path: `${ONE_PATH}/revoke`,
  about: {
    id: "revokeApiKey",
    summary: "Revoke an API key",
    description: "Every process refuses it within a second. Twice is the same as once.",
  },
  inPath: ONE_IN_PATH,
  query: {},
  body: noBody("This request takes no body."),
  answers: { 200: { description: "The key as it is now.", json: apiKey } },
  refusals: ["key_not_found"],
}).handle((insight) => async (call) => {
  const name = { account: call.param("account"), id: call.param("key") }
  const revoked = call.demand(
    isKeyName(name) ? await insight.accounts.revokeKey(name, call.identity.keyId) : undefined,
    "key_not_found",
  )
  return call.reply(200, toKeyBody(revoked))
})

export const rotateKey = defineOperatorEndpoint({
  method: "POST",
  path: `${ONE_PATH}/rotate`,
  about: {
    id: "rotateApiKey",
    summary: "Replace an API key by a new one of the same scopes",
    description:
      "`key` is shown only now. The old key holds for `grace_seconds` more, by default not at all; the new one ends " +
      "after `expires_in` seconds, by default after as long as the old one was made for. Each request makes another key.",
  },
  inPath: ONE_IN_PATH,
  query: {},
  body: rotationTerms,
  answers: {
    201: { description: "The new key with its secret, and the old one.", json: rotatedApiKey },
  },
  refusals: ["key_not_found", "key_revoked"],
}).handle((insight) => async (call) => {
  const name = { account: call.param("account"), id: call.param("key") }
  const { expires_in: expiresIn, grace_seconds: grace = 0 } = await call.body()
  if (!isKeyName(name)) throw call.refuse("key_not_found")
  const rotation = {
    ...name,
    graceMs: grace * 1_000,
    ...(expiresIn !== undefined && { lifetimeMs: expiresIn * 1_000 }),
  }
  const rotated = await insight.accounts.rotateKey(rotation, call.identity.keyId)
  if (rotated.kind === "unknown") throw call.refuse("key_not_found")
  if (rotated.kind === "revoked") throw call.refuse("key_revoked")
  const replaced = toKeyBody(rotated.replaced)
  const body = { ...toKeyBody(rotated.view), key: rotated.key, replaced }
  return call.reply(201, body)
})

function isKeyName({ account, id }: { readonly account: string; readonly id: string }): boolean {
  return isAccountName(account) && KEY_ID.test(id)
}
