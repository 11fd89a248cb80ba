/**
 * Sends what is due, in any number of processes at once. A delivery is taken for a time and sent; then what
 * became of it is recorded. A process that dies in between leaves it to others, once the time is over: so a
 * message may be sent twice, and never not at all.
 *
 *     due → taken (for `leaseMs`) → sent → recorded → delivered, or due again, or given up
 */
import type { Clock, Delivery, Log, WebhookEndpoint, WebhookStorage } from "@safelight/core"
import {
  createPlaces,
  createShares,
  isProven,
  mostInFlight,
  type Line,
  type Places,
} from "./places.ts"
import type { WebhookSettings } from "./settings.ts"

export interface DeliveryWorkerOptions {
  readonly storage: Pick<WebhookStorage, "findDueWebhooks" | "takeDeliveries">
  /** Sends one, and records it; never rejects. */
  readonly sendDelivery: (line: Line, delivery: Delivery) => Promise<void>
  readonly clock: Pick<Clock, "now">
  readonly log: Log
  readonly settings: WebhookSettings
}

export interface DeliveryWorker {
  /** Looks for endpoints with due deliveries, and sends to them. Rejects as the storage does. */
  poll(): Promise<void>
  /** These have new deliveries. */
  wake(endpoints: readonly WebhookEndpoint[]): void
  /** Takes no more; resolves once what was taken is over. */
  stop(): Promise<void>
}

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { storage, sendDelivery, clock, settings } = options
  const lines = new Map<string, Line>()
  const sending = new Set<Promise<void>>()
  const proven = createPlaces(settings.sendsToProven, fill)
  const others = createPlaces(settings.sendsToOthers, fill)
  const shares = createShares(settings.sendsPerAccount, fill)
  let isStopping = false

  function noteDue(endpoint: WebhookEndpoint): void {
    const line = lines.get(endpoint.id) ?? toLine(endpoint)
    lines.set(endpoint.id, Object.assign(line, { endpoint, isDue: true }))
    fill(line)
  }

  function fill(line: Line): void {
    if (isStopping || line.isTaking || !line.isDue) return
    const wanted = mostInFlight(line, settings) - line.inFlight
    if (wanted <= 0) return
    const places = isProven(line) ? proven : others
    const share = shares.of(line)
    const count = Math.min(wanted, places.free(), share.free())
    if (count > 0) track(takeAndSend(line, places, count))
    else (share.free() > 0 ? places : share).await(line)
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => sending.delete(tracked))
    sending.add(tracked)
  }

  async function takeAndSend(line: Line, places: Places, count: number): Promise<void> {
    places.take(count)
    shares.of(line).take(count)
    line.inFlight += count
    line.isTaking = true
    const taken = await take(line, count, options)
    line.isTaking = false
    line.isDue &&= taken.length === count
    for (const delivery of taken) track(send(line, places, delivery))
    giveBack(line, places, count - taken.length)
  }

  function giveBack(line: Line, places: Places, count: number): void {
    line.inFlight -= count
    if (count > 0) {
      places.release(count)
      shares.of(line).release(count)
    }
    // What was recorded together ends together: so that many are taken at once.
    queueMicrotask(() => fill(line))
    if (line.inFlight > 0 || line.isDue) return
    lines.delete(line.endpoint.id)
    shares.tidy(line)
  }

  async function send(line: Line, places: Places, delivery: Delivery): Promise<void> {
    await sendDelivery(line, delivery)
    // What waited behind this one may be due now.
    if (line.inFlight === 1) line.isDue = true
    giveBack(line, places, 1)
  }

  return {
    async poll() {
      for (const endpoint of await storage.findDueWebhooks({ now: clock.now() })) noteDue(endpoint)
    },
    wake(endpoints) {
      for (const endpoint of endpoints) noteDue(endpoint)
    },
    async stop() {
      isStopping = true
      while (sending.size > 0) await Promise.allSettled(sending)
    },
  }
}

function toLine(endpoint: WebhookEndpoint): Line {
  return { endpoint, inFlight: 0, isDue: true, isTaking: false, successes: 0 }
}

async function take(
  { endpoint }: Line,
  limit: number,
  { storage, clock, log, settings }: DeliveryWorkerOptions,
): Promise<readonly Delivery[]> {
  const now = clock.now()
  const request = { endpoint: endpoint.id, now, until: now + settings.leaseMs, limit }
  try {
    return await storage.takeDeliveries(request)
  } catch (error) {
    log.warn({ error, webhook: endpoint.id }, "webhook deliveries not taken")
    return []
  }
}
