/**
 * The oracle's view of webhooks: every event that an endpoint chose is delivered at least once and in its task's
 * order, or its delivery was given up for a documented reason; an id names one event for ever; and nothing is told
 * that the log doesn't have. What a reader would get wrong: a message that was received may come again, and one
 * whose answer was lost counts as not taken.
 */
import { verifyWebhook } from "@safelight/client"
import type { Delivery, WebhookEndpoint } from "@safelight/core"
import { wasForgotten, type RoundFaults } from "./round-faults.ts"
import type { ToldWebhook } from "./audience.ts"
import type { ToldEvent, ToldEvents } from "./told-events.ts"
import type { ReceivedMessage } from "./webhook-receiver.ts"

/** An endpoint and its deliveries as they are stored. */
export interface StoredWebhook {
  readonly endpoint: WebhookEndpoint
  readonly deliveries: readonly Delivery[]
}

export interface WebhookCase {
  readonly faults: RoundFaults
  readonly fail: (words: string) => void
  readonly told: ToldEvents
  /** By the endpoint's id. */
  readonly stored: ReadonlyMap<string, StoredWebhook>
}

/** Standard Webhooks' schedule, as the README gives it, in ms; a tenth of each pause is left to chance. */
const DELAYS_MS = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
]
const LEAST_OF_DELAY = 0.9
/** Each node reads the database's clock for itself, and is off by up to half of what the answer takes. */
const CLOCKS_APART_MS = 1_000
const DAY_MS = 86_400_000

export async function judgeWebhooks(
  open: WebhookCase,
  webhooks: readonly ToldWebhook[],
): Promise<void> {
  judgeIds(
    open,
    webhooks.flatMap(({ received }) => received),
  )
  for (const webhook of webhooks) {
    const sent = pairDeliveries(open, webhook)
    const known = new Map<ReceivedMessage, ToldEvent>()
    const byId = new Map([...sent].map(([event, { message }]) => [message, event]))
    const byText = new Map([...open.told.values()].flat().map((event) => [event.text, event]))
    for (const message of webhook.received) {
      await judgeMessage(open, webhook, message)
      const named = byId.get(toId(message))
      const event = named?.text === message.body ? named : byText.get(message.body)
      if (event !== undefined) known.set(message, event)
      else if (!wasForgotten(open.faults, message.at)) {
        open.fail(`webhook ${webhook.path} was told ${message.body}, which the log hasn't`)
      }
    }
    judgeDeliveries(open, webhook, { sent, known })
    judgeOrder(open, webhook, { sent, known })
  }
}

/** Events and their deliveries, messages and their events. */
interface Sending {
  readonly sent: ReadonlyMap<ToldEvent, Delivery>
  readonly known: ReadonlyMap<ReceivedMessage, ToldEvent>
}

/** Every event that was chosen. */
function toWanted({ stored, told }: WebhookCase, { id, types }: ToldWebhook): readonly ToldEvent[] {
  const account = stored.get(id)?.endpoint.account
  return [...told.values()]
    .flat()
    .filter((event) => event.account === account && types.some((type) => type === event.type))
}

/** By their words; events of one task within a millisecond may have the same, and then go by their order. */
function pairDeliveries(open: WebhookCase, webhook: ToldWebhook): ReadonlyMap<ToldEvent, Delivery> {
  const deliveries = open.stored.get(webhook.id)?.deliveries ?? []
  const inOrder = deliveries.toSorted((a, b) => a.sequence - b.sequence)
  const byText = Map.groupBy(inOrder, ({ payload }) => payload)
  const sent = new Map<ToldEvent, Delivery>()
  for (const event of toWanted(open, webhook)) {
    const delivery = byText.get(event.text)?.shift()
    if (delivery !== undefined) sent.set(event, delivery)
  }
  const spare = [...byText.values()].flat()
  const words = new Set([...sent.keys()].map(({ text }) => text))
  for (const { payload } of spare.filter((each) => words.has(each.payload))) {
    open.fail(`webhook ${webhook.path} has two deliveries of ${payload}`)
  }
  return sent
}

/** One id, one event, whatever was lost in between; and one event, one id. */
function judgeIds({ fail, told }: WebhookCase, messages: readonly ReceivedMessage[]): void {
  const bodies = Map.groupBy(messages, toId)
  for (const [id, same] of bodies) {
    const [one, other] = new Set(same.map(({ body }) => body))
    if (other !== undefined) fail(`webhook id ${id} names two events: ${one} and ${other}`)
  }
  const ids = Map.groupBy(messages, ({ body }) => body)
  const events = Map.groupBy([...told.values()].flat(), ({ text }) => text)
  for (const [body, same] of ids) {
    const all = [...new Set(same.map(toId))]
    if (all.length > (events.get(body)?.length ?? 1))
      fail(`${body} came as ${all.join(" and as ")}`)
  }
}

function toId({ headers }: ReceivedMessage): string {
  return headers["webhook-id"] ?? ""
}

/** Whoever has the secret can verify it; how old it is, is not judged where clocks may be wrong. */
async function judgeMessage(
  { fail }: WebhookCase,
  { path, secret, types }: ToldWebhook,
  { body, headers }: ReceivedMessage,
): Promise<void> {
  try {
    const { payload } = await verifyWebhook({ headers, body, secret, toleranceSeconds: Infinity })
    const { type } = payload as { readonly type: string }
    if (!types.some((each) => each === type)) fail(`webhook ${path} did not choose ${type}`)
  } catch (error) {
    fail(`webhook ${path} was sent what can't be verified: ${String(error)}`)
  }
}

/** Every event that was chosen has its delivery, which is over, and over for a reason. */
function judgeDeliveries(open: WebhookCase, webhook: ToldWebhook, { known, sent }: Sending): void {
  const { fail, faults, stored } = open
  const { path } = webhook
  const own = stored.get(webhook.id)
  if (own === undefined) return fail(`webhook ${path} is not there`)
  const taken = new Set([...known].flatMap(([message, event]) => (isTaken(message) ? event : [])))
  const isDisabled = own.endpoint.disabledAt > 0
  for (const event of toWanted(open, webhook)) {
    const words = `webhook ${path}: version ${event.version} (${event.type}) of ${event.task}`
    const delivery = sent.get(event)
    const wrong = toWrong(delivery, { isTaken: taken.has(event), isDisabled })
    if (wrong !== undefined) fail(`${words} ${wrong}`)
    if (delivery !== undefined && !faults.isTimeAhead) judgePauses(open, words, delivery)
  }
  judgeDisabled(open, path, own)
}

interface Standing {
  readonly isTaken: boolean
  readonly isDisabled: boolean
}

/** What is wrong with how a delivery ended. */
function toWrong(delivery: Delivery | undefined, standing: Standing): string | undefined {
  switch (delivery?.state) {
    case undefined:
      return "has no delivery"
    case "pending":
      return "is still to be delivered"
    case "delivered":
      return standing.isTaken ? undefined : "is called delivered, and nobody took it"
    case "failed": {
      const { tries } = delivery
      const isGivenUp = standing.isDisabled || tries > DELAYS_MS.length
      return isGivenUp ? undefined : `was given up after ${tries} tries`
    }
  }
}

function isTaken({ takenAt }: ReceivedMessage): boolean {
  return takenAt < Infinity
}

/**
 * Between two tries at least the pause of the schedule: a try that nobody recorded makes it longer. A set-back database
 * counts takings anew, so that two processes may record tries of one number.
 */
function judgePauses(
  { fail, faults }: WebhookCase,
  words: string,
  { history, tries }: Delivery,
): void {
  const moments = history.map(({ at }) => at - (history[0]?.at ?? at)).join(", ")
  for (const [index, { at }] of history.entries()) {
    if (wasForgotten(faults, at)) return
    const before = history[index - 1]
    const pauseMs = at - (before?.at ?? -Infinity)
    const delayMs = DELAYS_MS[index - 1] ?? 0
    if (pauseMs < delayMs * LEAST_OF_DELAY - CLOCKS_APART_MS) {
      fail(
        `${words} was tried for the ${index + 1}th time ${pauseMs} ms after the last; of ${tries} tries at ${moments} ms`,
      )
    }
  }
}

/** Disabled at once by 410; else only by a try of a delivery that has failed for more than a day itself. */
function judgeDisabled(
  { fail }: WebhookCase,
  path: string,
  { endpoint: { disabledAt, disabledReason }, deliveries }: StoredWebhook,
): void {
  if (disabledAt === 0 || disabledReason === "account") return
  const tried = deliveries.filter(({ history }) => triedAt(history) <= disabledAt)
  const last = tried.toSorted((a, b) => triedAt(a.history) - triedAt(b.history)).at(-1)
  const isRight =
    disabledReason === "gone"
      ? last?.history.at(-1)?.status === 410
      : last !== undefined && disabledAt - (last.history[0]?.at ?? disabledAt) > DAY_MS
  if (!isRight) fail(`webhook ${path} was disabled as ${disabledReason}, which it was not`)
}

function triedAt(history: Delivery["history"]): number {
  return history.at(-1)?.at ?? Infinity
}

/** A message comes only after those of its task before it were taken, or given up. */
function judgeOrder(open: WebhookCase, webhook: ToldWebhook, { known, sent }: Sending): void {
  const wanted = Map.groupBy(toWanted(open, webhook), ({ task }) => task)
  const takenAt = new Map<ToldEvent, number>()
  const seen = new Set<ToldEvent>()
  const passed = [...known]
  for (const [message, event] of passed) {
    takenAt.set(event, Math.min(message.takenAt, takenAt.get(event) ?? Infinity))
  }
  for (const [message, event] of passed) {
    if (seen.has(event)) continue
    seen.add(event)
    const before = (wanted.get(event.task) ?? []).filter(
      (each) => each.version < event.version && sent.get(each)?.state !== "failed",
    )
    const untaken = before.find((each) => (takenAt.get(each) ?? Infinity) > message.at)
    if (untaken === undefined) continue
    open.fail(
      `webhook ${webhook.path} was told version ${event.version} of ${event.task} before it ` +
        `took version ${untaken.version}`,
    )
  }
}
