/** What an API key may be allowed to do (http-decisions §7). */

export const API_KEY_SCOPES = [
  "tasks:write",
  "tasks:read",
  "artifacts:read",
  "links:write",
  "webhooks:write",
] as const

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number]
