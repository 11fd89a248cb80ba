/** Providers of images and video over HTTP: a declaration each, and the channel that is made of it. */
export { createHttpChannel, type HttpChannelOptions } from "./channel/http-channel.ts"
export {
  defineProvider,
  findModel,
  type Check,
  type CreateOutcome,
  type KeyCheck,
  type KeyedUnstated,
  type Provider,
  type Unclear,
} from "./declaration/provider.ts"
export type { InputRule, InputWays, ProviderModel } from "./declaration/provider-model.ts"
export type { Body, ProviderRequest, Reply, Send } from "./declaration/provider-request.ts"
export { at, listAt, readTurnedAway, textAt } from "./declaration/read-reply.ts"
export type { Webhook, WebhookScheme } from "./declaration/webhook.ts"
export { PROVIDERS } from "./providers.ts"
