/** Providers of images and video over HTTP: a declaration each, and the channel that is made of it. */
export { createHttpChannel, type HttpChannelOptions } from "./http-channel.ts"
export {
  defineProvider,
  findModel,
  type Check,
  type CreateOutcome,
  type InputRule,
  type InputWays,
  type KeyCheck,
  type KeyedUnstated,
  type Provider,
  type ProviderModel,
  type ProviderRequest,
  type Reply,
  type Send,
  type Unclear,
} from "./provider.ts"
export { PROVIDERS } from "./providers.ts"
export { ark } from "./providers/ark.ts"
export { blackForestLabs } from "./providers/black-forest-labs.ts"
export { comfyRouter } from "./providers/comfy-router.ts"
export { fal } from "./providers/fal.ts"
export { gemini } from "./providers/gemini.ts"
export { higgsfield } from "./providers/higgsfield.ts"
export { openai } from "./providers/openai.ts"
export { replicate } from "./providers/replicate.ts"
export { runware } from "./providers/runware.ts"
export { safelight } from "./providers/safelight.ts"
export { xai } from "./providers/xai.ts"
export { at, listAt, readTurnedAway, textAt } from "./read-reply.ts"
export type { Webhook, WebhookScheme } from "./webhook.ts"
