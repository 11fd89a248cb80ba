/**
 * `safelight webhooks …`: the account's webhooks at a service. A secret is printed once, by itself on standard
 * output, where a script can take it.
 */
import { Command } from "commander"
import type {
  Client,
  WebhookDeliveryDetail,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "@safelight/client"
import { toOneLine } from "../failure-line.ts"
import { toTable } from "../table.ts"
import { durationWithin } from "./option-values.ts"
import { addServiceOptions, parseName, type ServiceOptions } from "./service-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly json?: true
}

type Events = WebhookEndpoint["events"]

/** A week, as the service allows. */
const LONGEST_OVERLAP_MS = 7 * 86_400_000

async function connect(options: ServiceOptions, context: CommandContext): Promise<Client> {
  const { toClient } = await import("./service-options.ts")
  return toClient(options, context)
}

function addJson(command: Command, what: string): Command {
  return addServiceOptions(command.option("--json", `print ${what} as the service sends it`))
}

/** The service checks them. */
function toEvents(list: string | undefined): { readonly events?: Events } {
  return list === undefined
    ? {}
    : { events: list.split(",").map((each) => each.trim()) as Events[number][] }
}

export function createWebhooksCreateCommand(context: CommandContext): Command {
  interface CreateOptions extends Options {
    readonly events?: string
    readonly description?: string
  }
  const command = new Command("create")
    .description("make a webhook and show its secret, once")
    .argument("<url>", "where messages are posted to")
    .option(
      "--events <list>",
      "what is sent, separated by commas (default: task.succeeded,task.failed)",
    )
    .option("--description <text>", "words of your own")
  return addJson(command, "the webhook").action(async (url: string, options: CreateOptions) => {
    const { webhooks } = await connect(options, context)
    const { events, description } = options
    const made = await webhooks.create({ url, description, ...toEvents(events) })
    printSecret(made, options, context)
  })
}

export function createWebhooksRotateCommand(context: CommandContext): Command {
  interface RotateOptions extends Options {
    readonly overlap?: number
  }
  const toOverlap = durationWithin({ minMs: 0, maxMs: LONGEST_OVERLAP_MS })
  const command = new Command("rotate")
    .description("replace a webhook's secret and show the new one, once")
    .argument("<id>", "id of the webhook", parseName)
    .option("--overlap <duration>", "how long the old one counts too (default: 1d)", toOverlap)
  return addJson(command, "the webhook").action(async (id: string, options: RotateOptions) => {
    const { webhooks } = await connect(options, context)
    const { overlap } = options
    const overlapSeconds = overlap === undefined ? undefined : Math.floor(overlap / 1_000)
    printSecret(await webhooks.rotate(id, { overlapSeconds }), options, context)
  })
}

function printSecret(
  webhook: WebhookEndpointWithSecret,
  { json }: Options,
  context: CommandContext,
): void {
  if (json === true) return context.print(`${JSON.stringify(webhook)}\n`)
  context.print(`${toOneLine(webhook.secret)}\n`)
  context.printError(`${toOneLine(`the secret of ${webhook.id}: it is not shown again`)}\n`)
}

export function createWebhooksListCommand(context: CommandContext): Command {
  const command = new Command("list").description("list your webhooks, oldest first")
  return addJson(command, "the list").action(async (options: Options) => {
    const found = await (await connect(options, context)).webhooks.list()
    if (options.json === true) return context.print(`${JSON.stringify(found)}\n`)
    context.print(toTable(found.map((each) => [each.id, toState(each), each.url])))
  })
}

export function createWebhooksShowCommand(context: CommandContext): Command {
  const command = new Command("show")
    .description("show a webhook")
    .argument("<id>", "id of the webhook", parseName)
  return addJson(command, "it").action(async (id: string, options: Options) => {
    printWebhook(await (await connect(options, context)).webhooks.get(id), options, context)
  })
}

export function createWebhooksUpdateCommand(context: CommandContext): Command {
  interface UpdateOptions extends Options {
    readonly to?: string
    readonly events?: string
    readonly description?: string
    readonly enable?: true
    readonly disable?: true
  }
  const command = new Command("update")
    .description("change a webhook; what is not given stays")
    .argument("<id>", "id of the webhook", parseName)
    .option("--to <url>", "where messages are posted to")
    .option("--events <list>", "what is sent, separated by commas")
    .option("--description <text>", "words of your own")
    .option("--enable", "send again, whatever it was disabled for")
    .option("--disable", "send nothing, and give up what waits")
  return addJson(command, "it").action(async (id: string, options: UpdateOptions) => {
    const { webhooks } = await connect(options, context)
    const { description, disable, enable, events, to: url } = options
    const enabled = disable === true ? false : enable
    const change = { url, description, enabled, ...toEvents(events) }
    printWebhook(await webhooks.update(id, change), options, context)
  })
}

export function createWebhooksDeleteCommand(context: CommandContext): Command {
  const command = new Command("delete")
    .description("delete a webhook with its deliveries")
    .argument("<id>", "id of the webhook", parseName)
  return addServiceOptions(command).action(async (id: string, options: ServiceOptions) => {
    await (await connect(options, context)).webhooks.delete(id)
  })
}

function printWebhook(webhook: WebhookEndpoint, { json }: Options, context: CommandContext): void {
  if (json === true) return context.print(`${JSON.stringify(webhook)}\n`)
  const rows = [
    ["id", webhook.id],
    ["url", webhook.url],
    ["state", toState(webhook)],
    ["events", webhook.events.join(", ")],
    ["description", webhook.description],
  ]
  context.print(toTable(rows))
}

function toState({
  disabled_reason: reason,
  enabled,
  failing_since: since,
}: WebhookEndpoint): string {
  if (!enabled) return `disabled (${reason ?? "account"})`
  return since === null ? "enabled" : `failing since ${toTime(since)}`
}

export function createWebhooksTestCommand(context: CommandContext): Command {
  const command = new Command("test")
    .description("send a test message to a webhook")
    .argument("<id>", "id of the webhook", parseName)
  return addJson(command, "the delivery").action(async (id: string, options: Options) => {
    printDelivery(await (await connect(options, context)).webhooks.test(id), options, context)
  })
}

export function createWebhooksDeliveriesCommand(context: CommandContext): Command {
  interface DeliveryOptions extends Options {
    readonly status?: "failed"
    readonly limit?: string
    readonly cursor?: string
  }
  const command = new Command("deliveries")
    .description("list what was sent to a webhook, newest first, or show one delivery")
    .argument("<id>", "id of the webhook", parseName)
    .argument("[delivery]", "id of a delivery", parseName)
    .option("--status <status>", "pending, delivered or failed")
    .option("--limit <count>", "deliveries a page, 1 to 100; 20 by default")
    .option("--cursor <cursor>", "continues an earlier page, which printed it")
  return addJson(command, "it").action(
    async (id: string, one: string | undefined, options: DeliveryOptions) => {
      const { webhooks } = await connect(options, context)
      if (one !== undefined)
        return printDelivery(await webhooks.delivery(id, one), options, context)
      const { cursor: from, limit, status } = options
      // As it was typed: the service checks it.
      const query = { status, limit: limit as unknown as number, cursor: from }
      const page = await webhooks.deliveries(id, query)
      if (options.json === true) return context.print(`${JSON.stringify(page)}\n`)
      context.print(toTable(page.deliveries.map(toRow)))
      const { next_cursor: cursor } = page
      if (cursor !== null) context.printError(`${toOneLine(`there is more: --cursor ${cursor}`)}\n`)
    },
  )
}

export function createWebhooksReplayCommand(context: CommandContext): Command {
  interface ReplayOptions extends Options {
    readonly since?: string
  }
  const command = new Command("replay")
    .description("send one delivery again, or every failed one")
    .argument("<id>", "id of the webhook", parseName)
    .argument("[delivery]", "id of a delivery; without it every failed one", parseName)
    .option("--since <seconds>", "of the failed ones those made at this Unix second or later")
  return addJson(command, "the answer").action(
    async (id: string, one: string | undefined, options: ReplayOptions) => {
      const { webhooks } = await connect(options, context)
      if (one !== undefined) return printDelivery(await webhooks.replay(id, one), options, context)
      const since = options.since as unknown as number | undefined
      const replayed = await webhooks.replayFailed(id, { since })
      if (options.json === true) return context.print(`${JSON.stringify({ replayed })}\n`)
      context.print(`${replayed} are sent again\n`)
    },
  )
}

function printDelivery(
  delivery: WebhookDeliveryDetail,
  { json }: Options,
  context: CommandContext,
): void {
  if (json === true) return context.print(`${JSON.stringify(delivery)}\n`)
  const tries = delivery.tries.map(({ at_ms: at, status, failure, duration_ms: ms, answer }) => [
    new Date(at).toISOString(),
    String(status ?? failure),
    `${ms} ms`,
    answer,
  ])
  context.print(toTable([toRow(delivery)]) + toTable(tries) + `${toOneLine(delivery.body)}\n`)
}

function toRow({ id, type, status, created_at: at, tries }: WebhookDelivery): readonly string[] {
  return [id, status, type, toTime(at), `${tries.length} tries`]
}

function toTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}
