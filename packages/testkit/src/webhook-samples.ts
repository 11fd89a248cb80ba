/** Endpoints and deliveries for the contract of `WebhookStorage`. */
import assert from "node:assert/strict"
import {
  type Delivery,
  type NewDelivery,
  type RecordedTry,
  type Storage,
  type WebhookEndpoint,
} from "@safelight/core"

export function toEndpoint(id: string, endpoint: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return {
    id,
    account: "account",
    createdAt: 1_000,
    url: "https://a.example/hook",
    description: "",
    types: ["task.succeeded", "task.failed"],
    secrets: [{ secret: "whsec_b25l", expiresAt: 0 }],
    disabledAt: 0,
    disabledReason: null,
    failingSince: 0,
    provenAt: 0,
    revision: 1,
    ...endpoint,
  }
}

export async function createEndpoint(
  storage: Storage,
  endpoint: WebhookEndpoint,
  most = 10,
): Promise<boolean> {
  await storage.openFeed({ account: endpoint.account, until: 1_000 })
  return storage.createWebhook({ endpoint, most })
}

/** Of a subject of its own, unless one is given. */
export function toDelivery(message: string, delivery: Partial<NewDelivery> = {}): NewDelivery {
  return {
    endpoint: "we_1",
    message,
    subject: `of ${message}`,
    sequence: 1,
    type: "task.succeeded",
    payload: '{"data":"é 💩"}',
    createdAt: 1_000,
    dueAt: 1_000,
    ...delivery,
  }
}

export function toPending(message: string, delivery: Partial<Delivery> = {}): Delivery {
  return { ...toDelivery(message), state: "pending", tries: 0, history: [], ...delivery }
}

export function toRecord(
  delivery: Delivery | undefined,
  record: Partial<RecordedTry> = {},
): RecordedTry {
  assert.ok(delivery)
  const state = record.dueAt === undefined ? "delivered" : "pending"
  return { delivery, state, dueAt: 0, history: [], standing: null, ...record }
}

export async function fillFeed(
  storage: Storage,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  await createEndpoint(storage, toEndpoint("we_1"))
  const feed = await storage.findFeed("account")
  assert.ok(feed)
  const spread = { account: "account", feed: feed.id, from: 0, to: deliveries.length }
  assert.ok(await storage.fanOut({ ...spread, deliveries }))
}

export function takeDue(storage: Storage, now: number, limit = 10): Promise<readonly Delivery[]> {
  return storage.takeDeliveries({ endpoint: "we_1", now, until: now + 60_000, limit })
}

export function findByMessage(storage: Storage, message: string): Promise<Delivery | undefined> {
  return storage.findDelivery({ endpoint: "we_1", message })
}

export function listAll(storage: Storage): Promise<readonly Delivery[]> {
  return storage.listDeliveries({ endpoint: "we_1", limit: 100 })
}

export async function findDueIds(storage: Storage, now: number): Promise<readonly string[]> {
  return (await storage.findDueWebhooks({ now, after: "", limit: 99 })).map(({ id }) => id)
}

export function toMessages(
  deliveries: readonly (Delivery | undefined)[],
): readonly (string | undefined)[] {
  return deliveries.map((delivery) => delivery?.message)
}
