/**
 * Webhooks as a provider sends them: after an event, signed, and tried again on a schedule until an answer ends it.
 * Their fault is decided when the job is created. No reply waits for a webhook, except that the fault `early` makes
 * the create's reply wait.
 */
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { AsideClock, StubDelivery } from "./running-stub.ts"
import type { StubCall } from "./stub-call.ts"
import { waitUntil } from "./wait-until.ts"
import type { FaultAt, FaultSwitches } from "./stub-faults.ts"

export interface WebhookMessage {
  readonly body: unknown
  /** The same message with another outcome, as a forger would send it. */
  readonly lie: unknown
  /** The ID that the body tells, and one of the same form that no create was answered with. */
  readonly id: string
  readonly foreignId: string
}

export interface WebhookEvent {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** The message with the state of that moment; null for none. */
  readonly toMessage: () => WebhookMessage | null
}

export interface WebhookPlan {
  readonly url: string
  readonly events: readonly WebhookEvent[]
  /** The pauses between tries; an event before the last is tried only once. */
  readonly retryMs: readonly number[]
  /** The headers for a body that is signed at a moment; none by default. */
  readonly sign?: (raw: string, at: number) => Readonly<Record<string, string>>
  /** Whether no other try follows an answer; by default if it is 2xx. */
  readonly isFinal?: (status: number) => boolean
  /** Aborts when the job ends early. */
  readonly over: AbortSignal
  /** Finishes the job now, so that its last event can be sent before the create's reply. */
  readonly finishNow: () => void
}

export interface StubWebhooks {
  plan(call: StubCall, plan: WebhookPlan): void
}

export interface StubWebhooksOptions {
  readonly clock: AsideClock
  readonly faults: FaultSwitches
  readonly deliveries: StubDelivery[]
  /** Aborts when the stub closes. */
  readonly closed: AbortSignal
}

type WebhookFault = FaultAt<"webhook">

const STALE_MS = 3_600_000
const TIMEOUT_MS = 15_000

export function createWebhooks(options: StubWebhooksOptions): StubWebhooks {
  const { clock, faults, closed } = options

  async function run(plan: WebhookPlan, fault: WebhookFault | undefined): Promise<void> {
    const over = AbortSignal.any([plan.over, closed])
    for (const [index, event] of plan.events.entries()) {
      // Events of one job follow one another.
      // oxlint-disable-next-line no-await-in-loop
      await waitUntil(clock, event.at, over)
      if (closed.aborted) return
      const message = event.toMessage()
      const retryMs = index === plan.events.length - 1 ? plan.retryMs : []
      // oxlint-disable-next-line no-await-in-loop
      if (message !== null) await deliver({ ...plan, retryMs }, message, fault, options)
    }
  }

  return {
    plan(call, plan) {
      const fault = faults.take("webhook")
      if (fault === "early") {
        plan.finishNow()
        const events = toEventsAt(plan.events, clock.now())
        call.beforeReply = () => run({ ...plan, retryMs: [], events }, fault)
      } else if (fault === "reordered") {
        const lastAt = Math.max(...plan.events.map(({ at }) => at))
        void run({ ...plan, events: toEventsAt(plan.events.toReversed(), lastAt) }, fault)
      } else void run(plan, fault)
    },
  }
}

function toEventsAt(events: readonly WebhookEvent[], at: number): readonly WebhookEvent[] {
  return events.map((event) => ({ ...event, at }))
}

async function deliver(
  plan: WebhookPlan,
  message: WebhookMessage,
  fault: WebhookFault | undefined,
  options: StubWebhooksOptions,
): Promise<void> {
  const at = options.clock.now() + options.faults.skewMs()
  const truth = JSON.stringify(message.body)
  const send = (raw: string, signed = { text: raw, at }): Promise<void> => {
    const headers = plan.sign?.(signed.text, signed.at) ?? {}
    return sendWithRetries(plan, { raw, headers }, options)
  }
  switch (fault) {
    case "lost":
      return
    case "forged":
      return send(JSON.stringify(message.lie), { text: truth, at })
    case "stale":
      return send(truth, { text: truth, at: at - STALE_MS })
    case "foreign":
      return send(truth.replaceAll(message.id, message.foreignId))
    case "doubled":
      await send(truth)
      return send(truth)
    case "early":
    case "reordered":
    case undefined:
      return send(truth)
  }
}

interface Signed {
  readonly raw: string
  readonly headers: Readonly<Record<string, string>>
}

async function sendWithRetries(
  { url, retryMs, isFinal = isSuccess }: WebhookPlan,
  { raw, headers }: Signed,
  { clock, deliveries, closed }: StubWebhooksOptions,
): Promise<void> {
  const during = clock.during ?? ((send) => send())
  for (const pauseMs of [0, ...retryMs]) {
    // A try follows the answer to the one before.
    // oxlint-disable-next-line no-await-in-loop
    if (pauseMs > 0) await clock.wait(pauseMs, closed)
    if (closed.aborted) return
    // oxlint-disable-next-line no-await-in-loop
    const status = await during(() => post(url, raw, headers, closed))
    deliveries.push({ url, body: raw, status })
    if (status !== null && isFinal(status)) return
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** The status of the answer; null if none came. Redirects are not followed. */
function post(
  url: string,
  raw: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number | null> {
  const send = url.startsWith("https:") ? requestHttps : requestHttp
  const length = Buffer.byteLength(raw)
  return new Promise((resolve) => {
    const request = send(url, {
      method: "POST",
      agent: false,
      timeout: TIMEOUT_MS,
      signal,
      headers: { "content-type": "application/json", "content-length": length, ...headers },
    })
    request.on("timeout", () => request.destroy())
    request.on("error", () => resolve(null))
    request.on("response", (response) => {
      response.resume()
      response.on("close", () => resolve(response.statusCode ?? null))
    })
    request.end(raw)
  })
}
