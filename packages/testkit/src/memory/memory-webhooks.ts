/** Webhooks in the storage in memory: the rules of the SQL statements, said over maps. */
import {
  EXPIRING_TYPE,
  KEPT_FOREVER,
  type Delivery,
  type DeliveryName,
  type Feed,
  type RecordedTry,
  type SpreadDelivery,
  type Standing,
  type WebhookEndpoint,
  type WebhookStorage,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"

interface WebhookTables {
  readonly endpoints: Map<string, WebhookEndpoint>
  readonly feeds: Map<string, Feed>
  /** By endpoint and message. */
  readonly deliveries: Map<string, Delivery>
}

/** `feeds` by account: they are kept for endpoints, and spread to them. */
export function createMemoryWebhooks(feeds: Map<string, Feed>): WebhookStorage {
  const tables: WebhookTables = { endpoints: new Map(), feeds, deliveries: new Map() }
  return {
    ...createEndpoints(tables),
    ...createFanOut(tables),
    ...createTries(tables),
    ...createDeliveryLog(tables),
    ...createClearing(tables),
  }
}

const toName = ({ endpoint, message }: DeliveryName): string => JSON.stringify([endpoint, message])

function createEndpoints({
  endpoints,
  feeds,
}: WebhookTables): Pick<
  WebhookStorage,
  "createWebhook" | "findWebhook" | "listWebhooks" | "updateWebhook" | "deleteWebhook"
> {
  const listOf = (account: string): readonly WebhookEndpoint[] =>
    [...endpoints.values()]
      .filter((endpoint) => endpoint.account === account)
      .toSorted((a, b) => a.createdAt - b.createdAt || compareIds(a.id, b.id))

  return {
    async createWebhook({ endpoint, most }) {
      const { account, id } = endpoint
      if (endpoints.has(id) || listOf(account).length >= most) return false
      endpoints.set(id, endpoint)
      const feed = feeds.get(account)
      if (feed === undefined) return true
      const spreadTo = listOf(account).length === 1 ? feed.position : feed.spreadTo
      feeds.set(account, { ...feed, keptUntil: KEPT_FOREVER, spreadTo })
      return true
    },
    async findWebhook({ account, id }) {
      const found = endpoints.get(id)
      return found?.account === account ? found : undefined
    },
    listWebhooks: async (account) => listOf(account),
    async updateWebhook(endpoint, { isRenewed = false } = {}) {
      const known = endpoints.get(endpoint.id)
      if (known?.account !== endpoint.account || known.revision !== endpoint.revision - 1) {
        return false
      }
      const { failingSince, provenAt } = isRenewed ? { failingSince: 0, provenAt: 0 } : known
      const { createdAt } = known
      endpoints.set(endpoint.id, { ...endpoint, createdAt, failingSince, provenAt })
      return true
    },
    async deleteWebhook({ account, id, keepFeedUntil }) {
      if (endpoints.get(id)?.account !== account) return false
      endpoints.delete(id)
      const feed = feeds.get(account)
      if (feed !== undefined && listOf(account).length === 0) {
        feeds.set(account, { ...feed, keptUntil: Math.min(feed.keptUntil, keepFeedUntil) })
      }
      return true
    },
  }
}

function createFanOut(
  tables: WebhookTables,
): Pick<WebhookStorage, "fanOut" | "listUnspread" | "addDelivery" | "countWaiting"> {
  const { feeds, deliveries } = tables
  function add({ isGivenUp, ...delivery }: SpreadDelivery): void {
    const name = toName(delivery)
    if (deliveries.has(name)) return
    const state = isGivenUp === true ? "failed" : "pending"
    deliveries.set(name, { ...delivery, state, tries: 0, history: [] })
  }

  return {
    async fanOut({ account, feed: id, from, to, deliveries: added }) {
      const feed = feeds.get(account)
      if (feed?.id !== id || feed.spreadTo !== from) return false
      feeds.set(account, { ...feed, spreadTo: to })
      for (const delivery of added) add(delivery)
      return true
    },
    listUnspread: async () =>
      [...feeds.values()]
        .filter(
          ({ keptUntil, position, spreadTo }) => keptUntil === KEPT_FOREVER && spreadTo < position,
        )
        .map(({ account }) => account)
        .toSorted(compareIds),
    addDelivery: async (delivery) => add(delivery),
    async countWaiting({ dueBy, endpoint, most }) {
      const waiting = listPending(tables, endpoint).filter(
        ({ dueAt, type }) => dueAt <= dueBy && type !== EXPIRING_TYPE,
      )
      return Math.min(most, waiting.length)
    },
  }
}

function createTries(
  tables: WebhookTables,
): Pick<WebhookStorage, "findDueWebhooks" | "takeDeliveries" | "recordTries"> {
  const { endpoints, deliveries } = tables
  return {
    findDueWebhooks: async ({ now, after, limit }) =>
      [...endpoints.values()]
        .filter(({ id, disabledAt }) => disabledAt === 0 && compareIds(id, after) > 0)
        .filter(({ id }) => listPending(tables, id).some(({ dueAt }) => dueAt <= now))
        .toSorted((a, b) => compareIds(a.id, b.id))
        .slice(0, limit),
    async takeDeliveries({ endpoint, now, until, limit }) {
      if (endpoints.get(endpoint)?.disabledAt !== 0) return []
      const pending = listPending(tables, endpoint)
      const isFirst = ({ subject, sequence }: Delivery): boolean =>
        !pending.some((each) => each.subject === subject && each.sequence < sequence)
      return pending
        .filter((delivery) => delivery.dueAt <= now && isFirst(delivery))
        .toSorted((a, b) => a.dueAt - b.dueAt || a.sequence - b.sequence)
        .slice(0, limit)
        .map((delivery) => {
          const taken = { ...delivery, dueAt: until, tries: delivery.tries + 1 }
          deliveries.set(toName(taken), taken)
          return taken
        })
        .toSorted((a, b) => a.sequence - b.sequence)
    },
    async recordTries(tries) {
      for (const each of tries) record(tables, each)
      for (const { delivery, standing } of tries.toSorted(byMoment)) {
        if (standing !== null) note(tables, delivery.endpoint, standing)
      }
    },
  }
}

function listPending({ deliveries }: WebhookTables, endpoint: string): readonly Delivery[] {
  return [...deliveries.values()].filter(
    (delivery) => delivery.endpoint === endpoint && delivery.state === "pending",
  )
}

function record(
  tables: WebhookTables,
  { delivery: tried, state, dueAt, history }: RecordedTry,
): void {
  const { deliveries } = tables
  const known = deliveries.get(toName(tried))
  if (known?.state === "pending" && known.tries === tried.tries) {
    deliveries.set(toName(tried), { ...known, state, dueAt, history })
  }
  if (state !== "pending") return
  for (const each of listPending(tables, tried.endpoint)) {
    const follows = each.subject === tried.subject && each.sequence > tried.sequence
    if (follows && each.dueAt < dueAt) deliveries.set(toName(each), { ...each, dueAt })
  }
}

function note({ endpoints }: WebhookTables, id: string, { at, hasSucceeded, url }: Standing): void {
  const endpoint = endpoints.get(id)
  if (endpoint?.url !== url) return
  if (hasSucceeded && endpoint.provenAt === 0) {
    endpoints.set(id, { ...endpoint, failingSince: 0, provenAt: at })
  }
  if (!hasSucceeded && endpoint.failingSince === 0) {
    endpoints.set(id, { ...endpoint, failingSince: at, provenAt: 0 })
  }
}

function byMoment(one: RecordedTry, other: RecordedTry): number {
  return (one.standing?.at ?? 0) - (other.standing?.at ?? 0)
}

function createDeliveryLog({
  endpoints,
  deliveries,
}: WebhookTables): Pick<
  WebhookStorage,
  "findDelivery" | "listDeliveries" | "replayDeliveries" | "removeDeliveries"
> {
  return {
    findDelivery: async (name) => deliveries.get(toName(name)),
    async listDeliveries({ endpoint, state, before, limit }) {
      const isBelow = ({ createdAt, message }: Delivery): boolean =>
        before === undefined ||
        createdAt < before.createdAt ||
        (createdAt === before.createdAt && message < before.message)
      return [...deliveries.values()]
        .filter((each) => each.endpoint === endpoint && (state ?? each.state) === each.state)
        .filter(isBelow)
        .toSorted((a, b) => b.createdAt - a.createdAt || compareIds(b.message, a.message))
        .slice(0, limit)
    },
    async replayDeliveries({ endpoint, now, ...meant }) {
      if (endpoints.get(endpoint)?.disabledAt !== 0) return 0
      const over = [...deliveries.values()].filter(
        (each) => each.endpoint === endpoint && each.state !== "pending",
      )
      const found =
        "message" in meant
          ? over.filter(({ message }) => message === meant.message)
          : over
              .filter(({ state, createdAt }) => state === "failed" && createdAt >= meant.since)
              .toSorted((a, b) => a.createdAt - b.createdAt)
              .slice(0, meant.limit)
      for (const each of found) {
        deliveries.set(toName(each), { ...each, state: "pending", tries: 0, dueAt: now })
      }
      return found.length
    },
    async removeDeliveries({ before, limit }) {
      const old = [...deliveries.values()]
        .filter(({ state, createdAt }) => state !== "pending" && createdAt < before)
        .toSorted((a, b) => a.createdAt - b.createdAt)
        .slice(0, limit)
      for (const each of old) deliveries.delete(toName(each))
      return old.length
    },
  }
}

function createClearing({
  endpoints,
  deliveries,
}: WebhookTables): Pick<WebhookStorage, "clearDeliveries" | "findUncleared"> {
  const isUncleared = ({ endpoint: id, state }: Delivery): boolean => {
    const endpoint = endpoints.get(id)
    return endpoint === undefined || (endpoint.disabledAt > 0 && state === "pending")
  }
  return {
    async clearDeliveries({ endpoint, limit }) {
      const found = [...deliveries.values()]
        .filter((each) => each.endpoint === endpoint && isUncleared(each))
        .slice(0, limit)
      for (const each of found) {
        if (endpoints.has(endpoint)) deliveries.set(toName(each), { ...each, state: "failed" })
        else deliveries.delete(toName(each))
      }
      return found.length
    },
    findUncleared: async () => [
      ...new Set([...deliveries.values()].filter(isUncleared).map(({ endpoint }) => endpoint)),
    ],
  }
}
