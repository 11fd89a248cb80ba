/** Webhooks and their deliveries, for people. A secret is printed once, by itself, where a script can take it. */
import type {
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "@safelight/client"
import type { CommandContext } from "../command-line/command-context.ts"
import type { JsonOption } from "../command-line/print-result.ts"
import { formatOneLine } from "./one-line.ts"
import { formatTable } from "./table.ts"

export function printSecret(
  webhook: WebhookEndpointWithSecret,
  { json }: JsonOption,
  context: CommandContext,
): void {
  if (json === true) return context.print(`${JSON.stringify(webhook)}\n`)
  context.print(`${formatOneLine(webhook.secret)}\n`)
  context.printError(`${formatOneLine(`the secret of ${webhook.id}: it is not shown again`)}\n`)
}

export function formatWebhooks(webhooks: readonly WebhookEndpoint[]): string {
  return formatTable(webhooks.map((each) => [each.id, formatState(each), each.url]))
}

export function formatWebhook(webhook: WebhookEndpoint): string {
  return formatTable([
    ["id", webhook.id],
    ["url", webhook.url],
    ["state", formatState(webhook)],
    ["events", webhook.events.join(", ")],
    ["description", webhook.description],
  ])
}

export function formatDeliveries(deliveries: readonly WebhookDelivery[]): string {
  return formatTable(deliveries.map(toRow))
}

export function formatDelivery(delivery: WebhookDeliveryDetail): string {
  const tries = delivery.tries.map(({ at_ms: at, status, failure, duration_ms: ms, answer }) => [
    new Date(at).toISOString(),
    String(status ?? failure),
    `${ms} ms`,
    answer,
  ])
  return `${formatDeliveries([delivery])}${formatTable(tries)}${formatOneLine(delivery.body)}\n`
}

function formatState({
  disabled_reason: reason,
  enabled,
  failing_since: since,
}: WebhookEndpoint): string {
  if (!enabled) return `disabled (${reason ?? "account"})`
  return since === null ? "enabled" : `failing since ${toIso(since)}`
}

function toRow({ id, type, status, created_at: at, tries }: WebhookDelivery): readonly string[] {
  return [id, status, type, toIso(at), `${tries.length} tries`]
}

function toIso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}
