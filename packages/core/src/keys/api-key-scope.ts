/** What an API key may be allowed to do (http-decisions §7). `admin` is the operator's: it reaches every account. */

/** The scopes that concern the key's own account; a key has all of them unless it is given fewer. */
export const ACCOUNT_SCOPES = [
  "tasks:write",
  "tasks:read",
  "artifacts:read",
  "links:write",
  "webhooks:write",
] as const

/** `admin` implies none of the others, and none of them implies it. */
export const API_KEY_SCOPES = [...ACCOUNT_SCOPES, "admin"] as const

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number]
