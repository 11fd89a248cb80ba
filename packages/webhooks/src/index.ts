/** The public face of the package: webhooks, and how their messages are signed. */
export type { KnownTasks } from "./known-tasks.ts"
export type { ToTaskText } from "./message.ts"
export { DEFAULTS, type WebhookSettings } from "./settings.ts"
export { createSigningSecret, signMessage, type MessageToSign } from "./signing-secret.ts"
export { createWebhooks, type Webhooks, type WebhooksOptions } from "./webhooks.ts"
