/** Providers of images and video over HTTP: a declaration each, and the channel that is made of it. */
export { createHttpChannel, type HttpChannelOptions } from "./channel/http-channel.ts"
export {
  defineProvider,
  type Check,
  type CreateOutcome,
  type KeyCheck,
  type KeyedUnstated,
  type Provider,
  type Unclear,
} from "./declaration/provider.ts"
export { findModelFault, type ServedUpstream } from "./channel/served-models.ts"
export type {
  Asked,
  GeneralModel,
  InputRule,
  InputWays,
  ProviderModel,
  ProviderModels,
  Unaccepted,
} from "./declaration/provider-model.ts"
export {
  addMembers,
  type Body,
  type Content,
  type ProviderRequest,
  type Reply,
  type RequestToAuthorize,
  type Send,
} from "./declaration/provider-request.ts"
export {
  acceptsUnless,
  countReferences,
  type Obstacles,
  type ReferenceCounts,
} from "./declaration/eligibility.ts"
export { toContentOutput } from "./declaration/content-output.ts"
export { toInlineOutput } from "./declaration/inline-output.ts"
export {
  at,
  cancelHandle,
  findUrls,
  listAt,
  numberAt,
  progressAt,
  readTurnedAway,
  textAt,
  toCompleted,
  toCost,
  toRefused,
  toRejected,
  type Path,
} from "./declaration/read-reply.ts"
export { unavailable, type Unavailability } from "./declaration/unavailable.ts"
export type { Webhook, WebhookScheme } from "./declaration/webhook.ts"
export { PROVIDERS } from "./providers.ts"
