/** What every endpoint below /v1/admin needs. An operator's key opens all accounts' things, and no account's own. */
export const OPERATOR_KEY = { scopes: ["admin"], rate: "read" } as const
