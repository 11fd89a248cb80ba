/** API keys as an operator is shown them. A secret is shown only in the answer that makes it. */
import { API_KEY_SCOPES, toUnixSeconds, type KeyView } from "@safelight/core"
import * as v from "valibot"
import { defineBody, described, type Shown } from "./body.ts"
import { unixTime, whole } from "./shapes.ts"

const entries = {
  id: described(v.string(), "No secret."),
  account: v.string(),
  scopes: v.array(v.picklist(API_KEY_SCOPES)),
  state: v.picklist(["valid", "revoked", "expired"]),
  created_at: unixTime,
  revoked_at: described(whole, "Unix time in seconds; 0 where it is not revoked."),
  expires_at: described(whole, "Unix time in seconds; 0 where it does not end."),
}

const secret = described(v.string(), "Whoever has it acts for the account.")

const EXAMPLE = {
  id: "4fGh7KqX2b",
  account: "acme",
  scopes: ["tasks:write", "tasks:read"],
  state: "valid",
  created_at: 1_767_225_600,
  revoked_at: 0,
  expires_at: 1_769_817_600,
} as const

export const apiKey = defineBody("ApiKey", EXAMPLE, entries)

const API_KEY_LIST_EXAMPLE = {
  keys: [EXAMPLE],
} as const

export const apiKeyList = defineBody("ApiKeyList", API_KEY_LIST_EXAMPLE, { keys: v.array(apiKey) })

const NEW_API_KEY_EXAMPLE = {
  ...EXAMPLE,
  key: "sl_live_…",
} as const

export const newApiKey = defineBody("NewApiKey", NEW_API_KEY_EXAMPLE, { ...entries, key: secret })

const ROTATED_API_KEY_EXAMPLE = {
  ...EXAMPLE,
  key: "sl_live_…",
  replaced: { ...EXAMPLE, id: "9dPs3MnV0c" },
} as const

export const rotatedApiKey = defineBody("RotatedApiKey", ROTATED_API_KEY_EXAMPLE, {
  ...entries,
  key: secret,
  replaced: apiKey,
})

export function toKeyBody(key: KeyView): Shown<typeof apiKey> {
  return {
    id: key.id,
    account: key.account,
    scopes: key.scopes,
    state: key.state,
    created_at: toUnixSeconds(key.createdAt),
    revoked_at: toUnixSeconds(key.revokedAt),
    expires_at: toUnixSeconds(key.expiresAt),
  }
}
