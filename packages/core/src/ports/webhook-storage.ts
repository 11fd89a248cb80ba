/**
 * Webhooks as they are stored: the endpoints of accounts, and the deliveries that their feeds are spread to,
 * which are outbox and log in one. Moments are milliseconds since the Unix epoch. Errors are those of
 * `TaskStorage`.
 */
import type { WebhookType } from "../webhooks/webhook-type.ts"
import type { SendFailure } from "./message-sender.ts"

export interface WebhookStorage {
  /**
   * Stores a new endpoint; durable once resolved. False if the account has `most` already. The account's
   * feed, which must be open, is then kept for as long as there are endpoints. With the first of them it is
   * spread from its newest entry on.
   */
  createWebhook(request: {
    readonly endpoint: WebhookEndpoint
    readonly most: number
  }): Promise<boolean>
  findWebhook(request: WebhookName): Promise<WebhookEndpoint | undefined>
  /** Of one account, oldest first. */
  listWebhooks(account: string): Promise<readonly WebhookEndpoint[]>
  /**
   * Puts `endpoint` in place of the one with the revision before its own; durable once resolved. False if
   * there is none, or another revision. While it is disabled, none of its deliveries is taken, and `clearDeliveries`
   * gives them up.
   * `failingSince` and `provenAt` change with what is recorded: here they stay, or fall to 0 if
   * `isRenewed`.
   */
  updateWebhook(
    endpoint: WebhookEndpoint,
    options?: { readonly isRenewed?: boolean },
  ): Promise<boolean>
  /**
   * Removes an endpoint; false if there is none. Its deliveries are left for `clearDeliveries`. After an account's
   * last one its feed is kept until `keepFeedUntil` at most.
   */
  deleteWebhook(request: WebhookName & { readonly keepFeedUntil: number }): Promise<boolean>

  /**
   * Notes that the account's feed was spread up to `to`, and stores the deliveries that came of it, in one
   * commit; durable once resolved. False, and nothing is stored, unless the feed is the one named and was
   * spread up to `from`. A delivery that is known stays as it is.
   */
  fanOut(request: FanOutRequest): Promise<boolean>
  /** The accounts whose feeds are kept for webhooks and not spread to their ends yet, in the order of their bytes. */
  listUnspread(): Promise<readonly string[]>
  /** Stores a delivery that no event brings about. */
  addDelivery(delivery: NewDelivery): Promise<void>
  /**
   * How many deliveries of an endpoint wait that are due by a moment, `most` if there are more. Notices of expiry
   * don't count.
   */
  countWaiting(request: WaitingRequest): Promise<number>

  /** Of the enabled endpoints that have a delivery due `limit`, by id, with ids above `after`. */
  findDueWebhooks(request: {
    readonly now: number
    readonly after: string
    readonly limit: number
  }): Promise<readonly WebhookEndpoint[]>
  /**
   * Takes due deliveries of an endpoint for one try each, the longest due first. Until `until` nobody else takes
   * them; then they are due again, unless they were recorded. Of one subject only the first that waits is
   * taken. None if the endpoint is disabled.
   */
  takeDeliveries(request: TakeDeliveriesRequest): Promise<readonly Delivery[]>
  /**
   * Records what became of tries, and how their endpoints stand since; durable once resolved. A try that is no
   * longer the delivery's newest changes nothing. While a delivery waits for its next try, those of the same
   * subject behind it wait with it.
   */
  recordTries(tries: readonly RecordedTry[]): Promise<void>

  findDelivery(name: DeliveryName): Promise<Delivery | undefined>
  /** The newest first; `before` is the position of the last one of the page before. */
  listDeliveries(request: ListDeliveriesRequest): Promise<readonly Delivery[]>
  /**
   * Makes deliveries of an enabled endpoint that are over due at `now`, with all tries before them; resolves to how
   * many.
   */
  replayDeliveries(request: ReplayRequest): Promise<number>
  /** Removes up to `limit` deliveries that are over and were made before a moment; resolves to how many. */
  removeDeliveries(request: { readonly before: number; readonly limit: number }): Promise<number>

  /**
   * Of an endpoint that is disabled up to `limit` deliveries that wait are given up; of one that is deleted as many
   * are removed, whatever became of them. Resolves to how many: 0 once nothing is left, or if the endpoint is enabled.
   */
  clearDeliveries(request: { readonly endpoint: string; readonly limit: number }): Promise<number>
  /** The ids of endpoints for which `clearDeliveries` has something to do. */
  findUncleared(): Promise<readonly string[]>
}

export interface WebhookName {
  readonly account: string
  readonly id: string
}

export interface WebhookEndpoint extends WebhookName {
  readonly createdAt: number
  readonly url: string
  /** The account's own words; empty if it has none. */
  readonly description: string
  readonly types: readonly WebhookType[]
  /** The newest first. Never logged, shown or exported. */
  readonly secrets: readonly WebhookSecret[]
  /** 0 while enabled. */
  readonly disabledAt: number
  readonly disabledReason: DisabledReason | null
  /** Since when no try has succeeded; 0 if the newest recorded one did, or there is none. */
  readonly failingSince: number
  /** When a try succeeded first, after the endpoint was made or had failed; 0 if none did since. */
  readonly provenAt: number
  /** 1, 2, 3… */
  readonly revision: number
}

/**
 * `gone`: the receiver answered 410. `failing`: for days. `account`: the account asked for it. `secret-lost`: its secret
 * can't be opened, so that nothing can be signed.
 */
export type DisabledReason = "gone" | "failing" | "account" | "secret-lost"

export interface WebhookSecret {
  /** Sealed; what the first release wrote may be in clear, `whsec_` and base64. */
  readonly secret: string
  /** 0 for the newest, which has no end. */
  readonly expiresAt: number
}

export interface FanOutRequest {
  readonly account: string
  /** Its id. */
  readonly feed: string
  readonly from: number
  readonly to: number
  readonly deliveries: readonly SpreadDelivery[]
}

export interface SpreadDelivery extends NewDelivery {
  /** It is stored as failed, without a try: too many wait. */
  readonly isGivenUp?: true
}

export interface WaitingRequest {
  /** Its id. */
  readonly endpoint: string
  readonly dueBy: number
  readonly most: number
}

export interface DeliveryName {
  /** The endpoint's id. */
  readonly endpoint: string
  /** The message's id, the same for every endpoint that gets it. */
  readonly message: string
}

export interface NewDelivery extends DeliveryName {
  /** What its order is kept among: a task's id, or the message's own. */
  readonly subject: string
  /** The order within a subject; rises with the account's feed. */
  readonly sequence: number
  readonly type: string
  /** What is sent, to the byte. */
  readonly payload: string
  readonly createdAt: number
  readonly dueAt: number
}

/** `failed`: given up, by itself or with its endpoint. */
export type DeliveryState = "pending" | "delivered" | "failed"

export interface Delivery extends NewDelivery {
  readonly state: DeliveryState
  /** How often it was taken since it was made or replayed. */
  readonly tries: number
  /** What became of its tries, the newest last; the oldest of many are dropped. */
  readonly history: readonly DeliveryTry[]
}

export interface DeliveryTry {
  readonly at: number
  readonly durationMs: number
  /** Of the answer; null if there was none. */
  readonly status: number | null
  readonly failure: SendFailure | null
  /** The beginning of the answer's body. */
  readonly answer: string
}

export interface TakeDeliveriesRequest {
  readonly endpoint: string
  readonly now: number
  readonly until: number
  readonly limit: number
}

export interface RecordedTry {
  readonly delivery: Pick<Delivery, "endpoint" | "message" | "subject" | "sequence" | "tries">
  readonly state: DeliveryState
  /** Of the next try, while it is pending. */
  readonly dueAt: number
  readonly history: readonly DeliveryTry[]
  /** When it was known, and whether the receiver took it; null if nothing was sent. */
  readonly standing: Standing | null
}

/** How a receiver stands by a try. */
export interface Standing {
  readonly at: number
  /** Where it was sent: an endpoint whose URL is another by now stands as it did. */
  readonly url: string
  readonly hasSucceeded: boolean
}

export interface ListDeliveriesRequest {
  readonly endpoint: string
  readonly state?: DeliveryState
  readonly before?: DeliveryPosition
  readonly limit: number
}

export interface DeliveryPosition {
  readonly createdAt: number
  readonly message: string
}

/** One delivery, or the oldest `limit` of the failed ones that were made at `since` or later. */
export type ReplayRequest = { readonly endpoint: string; readonly now: number } & (
  | { readonly message: string }
  | { readonly since: number; readonly limit: number }
)
