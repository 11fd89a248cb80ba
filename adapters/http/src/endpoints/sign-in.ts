/** POST /v1/sign-in: the token of a one-time link in exchange for an API key. It needs no key, since it gives one. */
import { fields, text, toUnixSeconds } from "@safelight/core"
import * as v from "valibot"
import { defineBody, described } from "../bodies/body.ts"
import { unixTime } from "../bodies/shapes.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { jsonBody } from "../request/json-body.ts"

/** Longer than any token: what is longer is none. */
const TOKEN_CHARACTERS = 100
/** More than such a token takes, each of its characters escaped. */
const BODY_BYTES = 1024

const EXAMPLE = { account: "default", key: "sl_live_…", expires_at: 1_769_821_200 } as const

const signedInBody = defineBody("SignIn", EXAMPLE, {
  account: v.string(),
  key: described(v.string(), "A secret: whoever has it acts for the account."),
  expires_at: unixTime,
})

export const signIn = defineEndpoint({
  method: "POST",
  path: "/v1/sign-in",
  about: {
    id: "signIn",
    tag: "Keys",
    summary: "Exchange a one-time link for a key",
    description:
      "The console does so when somebody opens the link that a first start prints. The key ends by itself.",
  },
  body: jsonBody({
    schema: fields({ token: text(1, TOKEN_CHARACTERS) }),
    strangerBytes: BODY_BYTES,
    example: { token: "0aPv6yLW1xS1dXb9W8n2T0mQwq7a3Hk5Jt4Rr6Yz0cE" },
  }),
  answers: { 201: { description: "A new key, shown only now.", json: signedInBody } },
  refusals: ["invalid_sign_in", "internal_error", "service_unavailable", "overloaded"],
}).handle(({ signIn: service }) => {
  if (service === undefined) return undefined
  return async (call) => {
    const signedIn = await service.signIn((await call.body()).token)
    if (signedIn === undefined) {
      throw call.refuse("invalid_sign_in", {
        headers: { "www-authenticate": 'Bearer realm="api"' },
      })
    }
    const { account, expiresAt, key } = signedIn
    return call.reply(201, { account, key, expires_at: toUnixSeconds(expiresAt) })
  }
})
