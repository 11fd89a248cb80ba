/**
 * Sends what is due, in any number of processes at once. A delivery is taken for a time and sent; then what
 * became of it is recorded. A process that dies in between leaves it to others, once the time is over: so a
 * message may be sent twice, and never not at all.
 *
 *     due → taken (for `leaseMs`) → sent → recorded → delivered, or due again, or given up
 */
import type { Clock, Delivery, Log, WebhookEndpoint, WebhookStorage } from "@safelight/core"
import { createPermits, mostInFlight, type Line, type Taken } from "./permits.ts"
import type { WebhookSettings } from "./settings.ts"

export interface DeliveryWorkerOptions {
  readonly storage: Pick<WebhookStorage, "findDueWebhooks" | "takeDeliveries">
  /** Sends one, calls back once it is answered, and records it; never rejects. */
  readonly sendDelivery: (line: Line, delivery: Delivery, onAnswered: () => void) => Promise<void>
  readonly clock: Pick<Clock, "now">
  readonly log: Log
  readonly settings: WebhookSettings
}

export interface DeliveryWorker {
  /** Looks for endpoints with due deliveries, and sends to them. Rejects as the storage does. */
  poll(): Promise<void>
  /** These have new deliveries. */
  wake(endpoints: readonly WebhookEndpoint[]): void
  /** Begins no further delivery; resolves once those under way are over. */
  stop(): Promise<void>
}

/** Endpoints that are looked for in one statement. */
const PAGE = 500

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { sendDelivery, settings } = options
  const lines = new Map<string, Line>()
  const sending = new Set<Promise<void>>()
  const permits = createPermits(settings, fill)
  let isStopping = false

  function noteDue(endpoint: WebhookEndpoint): void {
    const line = lines.get(endpoint.id) ?? toLine(endpoint)
    lines.set(endpoint.id, toDue(line, endpoint))
    fill(line)
  }

  function fill(line: Line): void {
    if (isStopping || line.isTaking || !line.isDue) return
    const wanted = mostInFlight(line, settings) - line.inFlight
    if (wanted <= 0) return
    const held = permits.take(line, wanted)
    if (held !== undefined) track(takeAndSend(line, held))
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => sending.delete(tracked))
    sending.add(tracked)
  }

  async function takeAndSend(line: Line, held: Taken): Promise<void> {
    const { count } = held
    line.inFlight += count
    line.isTaking = true
    // A delivery that is queued from now on may be missed by this take.
    line.isDue = false
    const taken = await take(line, count, options)
    line.isTaking = false
    line.isDue ||= taken.length === count
    for (const delivery of taken) track(send(line, held, delivery))
    const spare = count - taken.length
    if (spare > 0) held.giveBack(spare)
    release(line, spare)
  }

  function release(line: Line, count: number): void {
    line.inFlight -= count
    // What was recorded together ends together: so that many are taken at once.
    queueMicrotask(() => fill(line))
    if (line.inFlight === 0 && !line.isDue) lines.delete(line.endpoint.id)
  }

  async function send(line: Line, held: Taken, delivery: Delivery): Promise<void> {
    const message = held.begin()
    await sendDelivery(line, delivery, message.answered)
    message.end()
    // What waited behind this one may be due now.
    if (line.inFlight === 1) line.isDue = true
    release(line, 1)
  }

  return {
    async poll() {
      await findDue(options, noteDue)
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

async function findDue(
  { storage, clock }: DeliveryWorkerOptions,
  onDue: (endpoint: WebhookEndpoint) => void,
): Promise<void> {
  const now = clock.now()
  for (let after = ""; ;) {
    // oxlint-disable-next-line no-await-in-loop -- the next page begins behind this one
    const due = await storage.findDueWebhooks({ now, after, limit: PAGE })
    for (const endpoint of due) onDue(endpoint)
    if (due.length < PAGE) return
    after = due.at(-1)?.id ?? after
  }
}

function toLine(endpoint: WebhookEndpoint): Line {
  return { endpoint, inFlight: 0, isDue: true, isTaking: false, successes: 0 }
}

/** Whoever stands at another address than before has taken nothing yet. */
function toDue(line: Line, endpoint: WebhookEndpoint): Line {
  const successes = line.endpoint.url === endpoint.url ? line.successes : 0
  return Object.assign(line, { endpoint, successes, isDue: true })
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
