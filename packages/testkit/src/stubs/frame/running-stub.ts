/**
 * A stub as its caller sees it. A purchase is work that the provider would bill: a repeat that the provider
 * recognises by its key is none, a repeat that it does not recognise is a second one.
 */
import type { Clock } from "@safelight/core"
import type { StubFaults } from "./stub-faults.ts"

export interface StubOptions {
  /** 0, the default, takes a free port. The stub listens on 127.0.0.1 alone. */
  readonly port?: number
  readonly faults?: Partial<StubFaults>
  /** The source of every duration and moment of the stub; the machine's clock by default. */
  readonly clock?: Clock
  /** The same time, for waits on which no answer depends: webhooks, progress. `clock` by default. */
  readonly asideClock?: AsideClock
  /** How long a job waits before it runs; 0 by default. */
  readonly queueMs?: number
  /** How long a job runs; 100 by default. */
  readonly runMs?: number
  /** How long the fault `slow` delays a reply or a download; two minutes by default. */
  readonly slowMs?: number
  /** The least size of a film, reached by bytes that a player skips. */
  readonly filmBytes?: number
  /** Signs webhooks, if the provider uses a secret of the account. */
  readonly webhookSecret?: string
}

/** A clock that tests move may have to know that a webhook is on its way, which no wait shows. */
export interface AsideClock extends Clock {
  /** Called around each try of a webhook, from before its first byte until its answer has come. */
  during?<Result>(this: void, send: () => Promise<Result>): Promise<Result>
}

export interface StubPurchase {
  /** The provider's ID, or one of ours if the provider has none. */
  readonly id: string
  /** The client's idempotency key, in whatever form the provider takes it; null if it sent none. */
  readonly key: string | null
  /** The model, or the endpoint. */
  readonly endpoint: string
  readonly body: unknown
  /** Milliseconds since the Unix epoch, by the stub's clock. */
  readonly at: number
}

export interface StubRequest {
  readonly method: string
  /** With the query, and with the host that it begins with, if any. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly at: number
}

/** One try of delivering a webhook. */
export interface StubDelivery {
  readonly url: string
  /** The body as it was sent. */
  readonly body: string
  /** The status of the answer; null if there was none. */
  readonly status: number | null
}

export interface RunningStub extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly purchases: readonly StubPurchase[]
  /** At least the latest ten thousand. */
  readonly requests: readonly StubRequest[]
  readonly deliveries: readonly StubDelivery[]
  /** The provider's own faults by name, for `StubFaults.own`. */
  readonly ownFaults: readonly string[]
  /** Replaces all faults; `{}` turns them off. */
  setFaults(faults: Partial<StubFaults>): void
}
