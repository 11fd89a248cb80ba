/** The public face of the package: who may call, how often, and by which link. */
export { createAccess, type AccessOptions, type AccessStorage } from "./access.ts"
export { DEFAULTS, type AccessSettings } from "./settings/defaults.ts"
export { createApiKeyParts, formatApiKey, parseApiKey, type ApiKeyParts } from "./keys/api-key.ts"
export { createFirstKey, createKey, rotateKey } from "./keys/api-keys.ts"
export { createSignIn, type SignIn, type SignInOptions } from "./keys/sign-in.ts"
export type { IdentityStorage } from "./keys/verify-key.ts"
export {
  formatAccessToken,
  parseAccessToken,
  toSignedLinkText,
  type AccessToken,
  type LinkClaim,
} from "./links/access-token.ts"
export { createLinkKey } from "./links/link-key.ts"
export { rotateLinkKey } from "./links/link-keys.ts"
export {
  NO_SLICE,
  planLease,
  takeFromSlice,
  toIntervalMicros,
  toRateStanding,
  toSteadyMoment,
  type LeasePlan,
  type LeaseRequest,
  type RateSlice,
  type RateStanding,
} from "./rates/rate-slice.ts"
