/** What an API key may be allowed to do (http-decisions §7). */

/** Of an account's own things: a key has them all by default. */
export const API_KEY_SCOPES = [
  "tasks:write",
  "tasks:read",
  "artifacts:read",
  "links:write",
  "webhooks:write",
] as const

/**
 * With what shows and steers the whole service, across accounts. It is given only by name, and neither includes
 * another scope nor is included.
 */
export const EVERY_SCOPE = [...API_KEY_SCOPES, "admin"] as const

export type ApiKeyScope = (typeof EVERY_SCOPE)[number]
