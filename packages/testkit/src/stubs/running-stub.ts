/**
 * A stub as its caller sees it. A purchase is what the provider would bill, or begins to: a
 * repeat that a provider recognises by its key is none, a repeat that it doesn't recognise is a
 * second one.
 */
import type { Clock } from "@safelight/core"
import type { StubFaults } from "./stub-faults.ts"

export interface StubOptions {
  /** 0, the default, takes a free one. The stub listens on 127.0.0.1 alone. */
  readonly port?: number
  readonly faults?: Partial<StubFaults>
  /** Every duration and moment of the stub is read from it; by default the machine's. */
  readonly clock?: Clock
  /** The same time, for waits that no answer hangs on: webhooks, progress. `clock` by default. */
  readonly asideClock?: AsideClock
  /** How long a job waits before it runs; 0 by default. */
  readonly queueMs?: number
  /** How long a job runs; 100 by default. */
  readonly runMs?: number
  /** How long a reply or a download is held up by the fault `slow`; two minutes by default. */
  readonly slowMs?: number
  /** Films are at least this long, by bytes that a player passes over. */
  readonly filmBytes?: number
  /** Signs webhooks, if the provider uses a secret of the account. */
  readonly webhookSecret?: string
}

/** A clock that jumps may have to know what no wait shows: that a webhook is on its way. */
export interface AsideClock extends Clock {
  /** Called with each try of a webhook, from before its first byte until its answer is there. */
  during?<Result>(this: void, send: () => Promise<Result>): Promise<Result>
}

export interface StubPurchase {
  /** The provider's ID, or one of ours if the provider has none. */
  readonly id: string
  /** The client's key, if it sent one in whatever form the provider takes it. */
  readonly key: string | null
  /** The model, or the endpoint. */
  readonly endpoint: string
  readonly body: unknown
  /** Milliseconds since the Unix epoch, by the stub's clock. */
  readonly at: number
}

export interface StubRequest {
  readonly method: string
  /** With its query, and with the name of the host that it begins with, if any. */
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
  /** The latest ten thousand at least. */
  readonly requests: readonly StubRequest[]
  readonly deliveries: readonly StubDelivery[]
  /** The provider's own faults by name, for `StubFaults.own`. */
  readonly ownFaults: readonly string[]
  /** Replaces all faults; `{}` turns them off. */
  setFaults(faults: Partial<StubFaults>): void
}
