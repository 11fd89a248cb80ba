/** The public face of fetch-guarded: the media source, the sender, their options, and the rule of addresses. */
export {
  canListOwnAddresses,
  createAddressRule,
  type AddressBlocks,
  type AddressRule,
} from "./address-rule.ts"
export { createGuardedFetch } from "./guarded-fetch.ts"
export { DEFAULTS, type GuardedFetchOptions, type LookUpHost } from "./guarded-fetch-options.ts"
export { createMessageSender, type MessageSenderOptions } from "./message-sender.ts"
