/**
 * Spreads feeds to webhooks: each entry becomes a delivery for every enabled endpoint that chose its type. How
 * far a feed was spread is noted in the commit that stores the deliveries, so each entry is spread once,
 * whichever node does it and wherever one dies. An entry that nobody chose costs no more than being read.
 */
import {
  createSemaphore,
  EXPIRING_TYPE,
  isSafelightError,
  KEPT_FOREVER,
  WEBHOOK_TYPES,
  type Clock,
  type EventType,
  type Feed,
  type FeedStorage,
  type Log,
  type NewDelivery,
  type ReadEntry,
  type SpreadDelivery,
  type WebhookEndpoint,
  type WebhookStorage,
  type WebhookType,
} from "@safelight/core"
import type { Backlog } from "./backlog.ts"
import type { KnownTasks } from "./known-tasks.ts"
import { toExpiryNotice, toTaskMessage, type Message, type ToTaskText } from "./message.ts"
import type { WebhookSettings } from "./settings.ts"

export interface FanOutOptions {
  readonly storage: Pick<FeedStorage, "findFeed" | "readFeed"> &
    Pick<WebhookStorage, "listUnspread" | "listWebhooks" | "fanOut">
  readonly tasks: KnownTasks
  readonly toTaskText: ToTaskText
  readonly settings: Pick<WebhookSettings, "noticeMs">
  readonly clock: Pick<Clock, "now">
  readonly log: Log
  readonly backlog: Backlog
  /** Called with endpoints that have new deliveries. */
  readonly onFanned: (endpoints: readonly WebhookEndpoint[]) => void
}

export interface FanOut {
  /** Every feed that has news. Rejects as the storage does. */
  spreadAll(): Promise<void>
  /** One account's. */
  spread(account: string): Promise<void>
}

/** Entries that become deliveries in one commit, ten times as many at most: submissions wait for it. */
const PAGE = 100
/** Feeds at a time: one with a long way to go leaves room for the others. */
const FEEDS_AT_ONCE = 8
/** Tasks read at a time for one page. */
const TASKS_AT_ONCE = 16

export function createFanOut(options: FanOutOptions): FanOut {
  const { storage } = options
  const feeds = createSemaphore({ permits: FEEDS_AT_ONCE, name: "feeds" })
  /** By account: whether it has to be spread once more behind what is under way. */
  const running = new Map<string, { again: boolean }>()

  /** One at a time an account. */
  async function spreadFeed(account: string): Promise<void> {
    const known = running.get(account)
    if (known !== undefined) {
      known.again = true
      return
    }
    const state = { again: false }
    running.set(account, state)
    try {
      do {
        state.again = false
        // oxlint-disable-next-line no-await-in-loop
        await feeds.run(() => spreadToEnd(account, options))
      } while (state.again)
    } finally {
      running.delete(account)
    }
  }

  return {
    async spreadAll() {
      await Promise.all((await storage.listUnspread()).map(spreadFeed))
    },
    spread: spreadFeed,
  }
}

/** A feed that is kept for a while has no endpoints. */
function isBehind({ keptUntil, position, spreadTo }: Feed): boolean {
  return keptUntil === KEPT_FOREVER && spreadTo < position
}

async function spreadToEnd(account: string, options: FanOutOptions): Promise<void> {
  const { storage, onFanned } = options
  for (;;) {
    const feed = await storage.findFeed(account)
    if (feed === undefined || !isBehind(feed)) return
    const from = feed.spreadTo
    const entries = await storage.readFeed({ account, after: from, limit: PAGE })
    const to = entries.at(-1)?.position
    if (to === undefined) return
    const all = await storage.listWebhooks(account)
    const endpoints = all.filter(({ disabledAt }) => disabledAt === 0)
    const wanted = await toDeliveries(entries, endpoints, options)
    const deliveries = await giveUpExcess(account, wanted, options)
    // Another node was faster: what it left is read again.
    const isDone = await storage.fanOut({ account, feed: feed.id, from, to, deliveries })
    if (!isDone || deliveries.length === 0) continue
    const told = new Set(deliveries.map(({ endpoint }) => endpoint))
    onFanned(endpoints.filter(({ id }) => told.has(id)))
  }
}

/** Those for which there is no room are logged, and listed as failed. */
async function giveUpExcess(
  account: string,
  deliveries: readonly NewDelivery[],
  { backlog, log }: FanOutOptions,
): Promise<readonly SpreadDelivery[]> {
  const byEndpoint = Map.groupBy(deliveries, ({ endpoint }) => endpoint)
  const spread = [...byEndpoint].map(async ([webhook, own]): Promise<readonly SpreadDelivery[]> => {
    const room = await backlog.take(webhook, own.length)
    const excess = own.slice(room)
    if (excess.length === 0) return own
    log.warn({ account, webhook, deliveries: excess.length }, "webhook backlog full")
    return [...own.slice(0, room), ...excess.map((each) => ({ ...each, isGivenUp: true as const }))]
  })
  return (await Promise.all(spread)).flat()
}

async function toDeliveries(
  entries: readonly ReadEntry[],
  endpoints: readonly WebhookEndpoint[],
  options: FanOutOptions,
): Promise<readonly NewDelivery[]> {
  const reads = createSemaphore({ permits: TASKS_AT_ONCE, name: "tasks" })
  const chosen = new Set(endpoints.flatMap(({ types }) => types))
  const meant = entries.filter((entry) => toTypes(entry).some((type) => chosen.has(type)))
  const messages = await Promise.all(
    meant.map((entry) => reads.run(() => toMessages(entry, options))),
  )
  return messages
    .flat()
    .flatMap((message) =>
      endpoints
        .filter(({ types }) => types.some((type) => type === message.type))
        .map(({ id }) => ({ ...message, endpoint: id })),
    )
}

/** None for an event of a type that only a later release knows. */
function toTypes({ type }: ReadEntry): readonly WebhookType[] {
  const own = WEBHOOK_TYPES.filter((each) => each === `task.${type}`)
  return SETS_EXPIRY.has(type) ? [...own, EXPIRING_TYPE] : own
}

/** Events that say when artifacts expire. */
const SETS_EXPIRY: ReadonlySet<string> = new Set(["succeeded", "held"] satisfies EventType[])

async function toMessages(entry: ReadEntry, options: FanOutOptions): Promise<readonly Message[]> {
  const { tasks, toTaskText, settings, clock, log } = options
  const { account, task: id, version, at, position } = entry
  const [type, notice] = toTypes(entry)
  const head = entry.head ?? (await tasks.findTaskAt({ account, id, version }).catch(ignoreDamage))
  if (head === undefined || type === undefined) return []
  const { task, hash } = head
  const now = clock.now()
  const message = toTaskMessage({ type, task, hash, at, sequence: position, now }, toTaskText)
  if (notice === undefined) return [message]
  return [message, toExpiryNotice({ task, hash, now }, settings.noticeMs, toTaskText)]

  /** One damaged task must not keep messages about the account's others back. */
  function ignoreDamage(error: unknown): undefined {
    if (!isSafelightError(error) || error.code !== "storage-corrupt") throw error
    log.error({ error, task: id, version }, "webhook message impossible")
  }
}
