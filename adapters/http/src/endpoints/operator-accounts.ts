/**
 * /v1/admin/accounts: accounts with their limits and what their tasks add up to. PUT changes what is given alone, and
 * makes an account that is new, as the command does.
 */
import { isAccountName } from "@safelight/core"
import { refuseParameters } from "../errors/refusal.ts"
import { noBody } from "../request/body-kinds.ts"
import { jsonBody } from "../request/json-body.ts"
import { ACCOUNT } from "../request/path-parameters.ts"
import { toNextCursor, toPageQuery } from "../bodies/page.ts"
import {
  SETTINGS,
  account,
  accountList,
  toAccountBody,
  toSettingsBody,
  toSettingsChange,
} from "../bodies/account.ts"
import { defineOperatorEndpoint } from "./operator-endpoint.ts"

const PATH = "/v1/admin/accounts"
export const ONE_ACCOUNT_PATH = "/v1/admin/accounts/:account"
const IN_PATH = { account: ACCOUNT }

export const listAccounts = defineOperatorEndpoint({
  method: "GET",
  path: PATH,
  about: {
    id: "listAccounts",
    summary: "The accounts and their settings, by name",
    description: "What their tasks add up to is shown for one account alone: it is summed.",
  },
  query: toPageQuery("accounts"),
  answers: { 200: { description: "A page of accounts.", json: accountList } },
  refusals: [],
}).handle((insight) => async (call) => {
  const { cursor, limit } = call.query
  const after = cursor && { after: cursor.id }
  const page = await insight.accounts.listAccounts({ limit, ...after })
  const accounts = page.accounts.map(toSettingsBody)
  const next = toNextCursor(page.next)
  return call.reply(200, { accounts, next_cursor: next })
})

export const showAccount = defineOperatorEndpoint({
  method: "GET",
  path: ONE_ACCOUNT_PATH,
  about: { id: "getAccount", summary: "An account, and what its tasks add up to" },
  inPath: IN_PATH,
  query: {},
  answers: { 200: { description: "The account.", json: account } },
  refusals: ["account_not_found"],
}).handle((insight, { currency }) => async (call) => {
  const name = call.param("account")
  const found = call.demand(
    isAccountName(name) ? await insight.accounts.findAccount(name) : undefined,
    "account_not_found",
  )
  return call.reply(200, { ...toAccountBody(found), currency })
})

export const setAccount = defineOperatorEndpoint({
  method: "PUT",
  path: ONE_ACCOUNT_PATH,
  about: {
    id: "setAccount",
    summary: "Change an account's settings, or make an account",
    description:
      "What is not given stays as it is; a new account has the service's defaults for it. Null is no limit. Every " +
      "process obeys within a second. `suspended` refuses every request of the account; tasks that it has go on.",
  },
  inPath: IN_PATH,
  query: {},
  body: jsonBody({
    schema: SETTINGS,
    example: { create_rate: { requests: 60, window_ms: 60_000 }, budget_micros: 5_000_000 },
  }),
  answers: { 200: { description: "The account as it is now.", json: account } },
  refusals: ["invalid_value"],
}).handle((insight, { currency }) => async (call) => {
  const change = toSettingsChange(await call.body())
  const name = call.param("account")
  if (!isAccountName(name)) {
    const message = "account must be 1 to 200 printable characters."
    throw refuseParameters(call.refuse, [{ param: "account", code: "invalid_value", message }])
  }
  const { keyId } = call.identity
  const view = await insight.accounts.setAccount(name, change, keyId)
  return call.reply(200, { ...toAccountBody(view), currency })
})

export const revokeAccountLinks = defineOperatorEndpoint({
  method: "POST",
  path: `${ONE_ACCOUNT_PATH}/links/revoke`,
  about: {
    id: "revokeAccountLinks",
    summary: "Revoke every private link of an account",
    description: "Every process refuses them within a second. New links can be made at once.",
  },
  inPath: IN_PATH,
  query: {},
  body: noBody("This request takes no body."),
  answers: {
    204: {
      description: "Every link that was made until now opens nothing any more.",
      always: ["X-Request-Id", "Cache-Control"],
    },
  },
  refusals: ["account_not_found"],
}).handle((insight) => async (call) => {
  const name = call.param("account")
  const { keyId } = call.identity
  const isRevoked = isAccountName(name) && (await insight.accounts.revokeLinks(name, keyId))
  if (!isRevoked) throw call.refuse("account_not_found")
  return call.reply(204)
})
