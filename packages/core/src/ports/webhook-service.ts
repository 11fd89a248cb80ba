/**
 * What a front end asks about webhooks. An account sees its own endpoints alone, and no secret but the one that
 * it has just been given. Every method may reject as the storage does.
 */
import type { WebhookType } from "../webhooks/webhook-type.ts"
import type {
  Delivery,
  DeliveryPosition,
  DeliveryState,
  WebhookEndpoint,
  WebhookName,
} from "./webhook-storage.ts"

export interface WebhookService {
  /** Makes an endpoint. It gets what happens from now on. */
  createWebhook(request: NewWebhook): Promise<WebhookSecretResult>
  /** Oldest first. */
  listWebhooks(account: string): Promise<readonly Webhook[]>
  findWebhook(name: WebhookName): Promise<Webhook | undefined>
  /**
   * Changes what is given. Disabling gives up what waits; enabling begins afresh, whatever the endpoint was
   * disabled for, and so does another URL.
   */
  updateWebhook(request: WebhookName & WebhookChange): Promise<WebhookResult>
  /** Removes the endpoint with its deliveries; false if there is none. */
  deleteWebhook(name: WebhookName): Promise<boolean>
  /** Makes a new secret. Messages are signed with the old ones too for `overlapMs`, 0 and up. */
  rotateWebhook(request: WebhookName & { readonly overlapMs: number }): Promise<WebhookSecretResult>
  /** Queues a message of type `webhook.test`. */
  testWebhook(name: WebhookName): Promise<DeliveryResult>
  /** Undefined for an unknown endpoint or message. */
  findDelivery(request: MessageName): Promise<Delivery | undefined>
  /** Newest first; undefined for an unknown endpoint. */
  listDeliveries(request: DeliveryQuery): Promise<DeliveryPage | undefined>
  /** Queues a delivery that is over once more. One that waits is left as it is. */
  replayDelivery(request: MessageName): Promise<DeliveryResult>
  /**
   * The same for every failed one that was made at `since`, in milliseconds, or later; the oldest first, as many
   * as may wait.
   */
  replayFailed(request: WebhookName & { readonly since: number }): Promise<ReplayResult>
}

/** Bounds of what an account may ask for. */
export const WEBHOOK_LIMITS = {
  /** The same as a media URL's. */
  urlCharacters: 8_192,
  descriptionCharacters: 200,
  /** A week: longer, and a leaked secret is as good as never replaced. */
  overlapSeconds: 604_800,
} as const

/** An endpoint as its account sees it. */
export interface Webhook extends Omit<WebhookEndpoint, "secrets" | "revision"> {
  /** When the last secret before the newest ends; 0 if there is none. */
  readonly oldSecretsEndAt: number
}

export interface NewWebhook {
  readonly account: string
  readonly url: string
  readonly description?: string
  readonly types?: readonly WebhookType[]
}

export interface WebhookChange {
  readonly url?: string
  readonly description?: string
  readonly types?: readonly WebhookType[]
  readonly isEnabled?: boolean
}

export interface MessageName extends WebhookName {
  readonly message: string
}

export interface DeliveryQuery extends WebhookName {
  readonly state?: DeliveryState
  readonly before?: DeliveryPosition
  readonly limit: number
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[]
  /** Null at the end. */
  readonly next: DeliveryPosition | null
}

/**
 * `too-many`: the account has as many endpoints as it may. `url-not-allowed`: it may never be sent to.
 * `disabled`: nothing is sent to the endpoint. `too-many-waiting`: as many messages as may wait for it already.
 */
export type WebhookRejection =
  | { readonly kind: "unknown" }
  | { readonly kind: "disabled" }
  | { readonly kind: "url-not-allowed" }
  | { readonly kind: "too-many"; readonly most: number }
  | { readonly kind: "too-many-waiting"; readonly most: number }

export type WebhookResult = { readonly kind: "done"; readonly webhook: Webhook } | WebhookRejection

export type WebhookSecretResult =
  | { readonly kind: "done"; readonly webhook: Webhook; readonly secret: string }
  | WebhookRejection

export type DeliveryResult =
  | { readonly kind: "done"; readonly delivery: Delivery }
  | WebhookRejection

export type ReplayResult = { readonly kind: "done"; readonly replayed: number } | WebhookRejection
