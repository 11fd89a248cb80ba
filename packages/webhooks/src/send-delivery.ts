/** Sends a delivery that was taken, records what became of it, and what its endpoint has come to by it. */
import type { Delivery, DisabledReason, Log, RecordedTry, WebhookEndpoint } from "@safelight/core"
import { deliver, type DeliverOptions } from "./deliver.ts"
import type { Line } from "./permits.ts"
import type { Recorder } from "./recorder.ts"

export interface SendDeliveryOptions extends DeliverOptions {
  readonly recorder: Recorder
  readonly disable: (endpoint: WebhookEndpoint, reason: DisabledReason) => Promise<void>
  readonly log: Log
}

/** Never rejects: what could not be recorded is sent again, once its time is over. */
export async function sendDelivery(
  line: Line,
  delivery: Delivery,
  options: SendDeliveryOptions,
  onAnswered: () => void,
): Promise<void> {
  try {
    await sendAndRecord(line, delivery, options, onAnswered)
  } catch (error) {
    options.log.error({ error, webhook: line.endpoint.id }, "webhook delivery failed")
  }
}

async function sendAndRecord(
  line: Line,
  delivery: Delivery,
  { recorder, disable, log, ...options }: SendDeliveryOptions,
  onAnswered: () => void,
): Promise<void> {
  const { endpoint } = line
  const { record, ending } = await deliver(endpoint, delivery, options)
  onAnswered()
  if (ending === "secret-lost") await disable(endpoint, ending)
  if (record === undefined) return
  await recorder.record(record)
  const { standing } = record
  // Of the address that it had before nothing is to be concluded.
  if (standing === null || line.endpoint.url !== endpoint.url) return
  line.successes = standing.hasSucceeded ? line.successes + 1 : 0
  line.endpoint = withStanding(line.endpoint, standing)
  const { message, type } = delivery
  if (record.state === "failed") {
    log.warn({ webhook: endpoint.id, message, type }, "webhook delivery given up")
  }
  if (ending !== undefined) await disable(endpoint, ending)
  else if (isDead(line.endpoint, delivery, record, options)) await disable(endpoint, "failing")
}

/**
 * Whether an endpoint has failed for so long that nothing more is sent to it. Between two messages nobody knows how
 * it stands: so the one that fails must have been tried for long by itself.
 */
function isDead(
  { failingSince }: WebhookEndpoint,
  { tries }: Delivery,
  { history, standing }: RecordedTry,
  { settings }: Pick<DeliverOptions, "settings">,
): boolean {
  if (standing === null || standing.hasSucceeded) return false
  const { disableAfterMs, disableAfterTryingMs } = settings
  // Of a delivery that was replayed the tries before that are in its history too.
  const [first = { at: standing.at }] = history.slice(-tries)
  const isLong = standing.at - failingSince > disableAfterMs
  return isLong && standing.at - first.at > disableAfterTryingMs
}

/** As the storage notes it with the record. */
function withStanding(
  endpoint: WebhookEndpoint,
  { at, hasSucceeded }: { readonly at: number; readonly hasSucceeded: boolean },
): WebhookEndpoint {
  if (hasSucceeded) return { ...endpoint, failingSince: 0, provenAt: endpoint.provenAt || at }
  return { ...endpoint, failingSince: endpoint.failingSince || at, provenAt: 0 }
}
