/** Sends a delivery that was taken, records what became of it, and what its endpoint has come to by it. */
import type { Delivery, Log, WebhookEndpoint } from "@safelight/core"
import { deliver, type DeliverOptions } from "./deliver.ts"
import type { Line } from "./places.ts"
import type { Recorder } from "./recorder.ts"

export interface SendDeliveryOptions extends DeliverOptions {
  readonly recorder: Recorder
  readonly disable: (endpoint: WebhookEndpoint, reason: "gone" | "failing") => Promise<void>
  readonly log: Log
}

/** Never rejects: what could not be recorded is sent again, once its time is over. */
export async function sendDelivery(
  line: Line,
  delivery: Delivery,
  options: SendDeliveryOptions,
): Promise<void> {
  try {
    await sendAndRecord(line, delivery, options)
  } catch (error) {
    options.log.error({ error, webhook: line.endpoint.id }, "webhook delivery failed")
  }
}

async function sendAndRecord(
  line: Line,
  delivery: Delivery,
  { recorder, disable, log, ...options }: SendDeliveryOptions,
): Promise<void> {
  const { endpoint } = line
  const { record, isGone } = await deliver(endpoint, delivery, options)
  if (record === undefined) return
  await recorder.record(record)
  const { standing } = record
  if (standing === null) return
  line.successes = standing.hasSucceeded ? line.successes + 1 : 0
  line.endpoint = withStanding(line.endpoint, standing)
  const { message, type } = delivery
  if (record.state === "failed") {
    log.warn({ webhook: endpoint.id, message, type }, "webhook delivery given up")
  }
  const failingMs = standing.hasSucceeded ? 0 : standing.at - line.endpoint.failingSince
  if (isGone) await disable(endpoint, "gone")
  else if (failingMs > options.settings.disableAfterMs) await disable(endpoint, "failing")
}

/** As the storage notes it with the record. */
function withStanding(
  endpoint: WebhookEndpoint,
  { at, hasSucceeded }: { readonly at: number; readonly hasSucceeded: boolean },
): WebhookEndpoint {
  if (hasSucceeded) return { ...endpoint, failingSince: 0, provenAt: endpoint.provenAt || at }
  return { ...endpoint, failingSince: endpoint.failingSince || at, provenAt: 0 }
}
