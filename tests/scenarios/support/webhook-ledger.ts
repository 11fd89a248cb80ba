/**
 * A receiver of webhooks as a second ledger over real nodes: whatever dies, each event that the account asked
 * to be told of arrives, signed, and those of a task in their order. It is no easy receiver: of some messages
 * the first try gets no answer, a 500 or a late one. A message that arrives twice is the same to the byte.
 */
import assert from "node:assert/strict"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import { createClient, verifyWebhook } from "@safelight/client"
import type { Client } from "../../service/client.ts"
import { execute } from "../../support/test-database.ts"

export interface WebhookLedger {
  /** Adds an endpoint for the key's account that wants the types below. */
  register(client: Client): Promise<void>
  /** Resolves once the service has told of every such event in these tasks' logs; fails on a wrong message. */
  assertTold(client: Client, tasks: Iterable<string>): Promise<void>
}

const TYPES = [
  "task.submitted",
  "task.dispatched",
  "task.deferred",
  "task.succeeded",
  "task.failed",
] as const

/** The networks that `safelight.config.json` has to allow. */
export const RECEIVER_NETWORKS = ["127.0.0.1/32"]

/** Between two looks for what was not told yet. */
const PAUSE_MS = 500
const LATE_MS = 300

/** Of the messages, by the order in which they came first. */
const WAYS = ["take", "take", "cut", "take", "refuse", "take", "late", "take"] as const

export async function startWebhookLedger(
  t: TestContext,
  { database }: { readonly database: string },
): Promise<WebhookLedger> {
  /** Bodies by message, in the order in which the messages came first. */
  const seen = new Map<string, string>()
  /** The events of those that were answered well. */
  const told = new Set<string>()
  const wrong: unknown[] = []
  const receiver = createServer((request, response) => void receive(request, response))
  let secret = ""

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = Buffer.concat(await request.toArray()).toString()
      const id = String(request.headers["webhook-id"])
      await verifyWebhook({ headers: request.headers, body, secret })
      const way = seen.has(id) ? "take" : WAYS[seen.size % WAYS.length]
      assert.equal(seen.get(id) ?? body, body, `${id} changed`)
      seen.set(id, body)
      if (way === "late") await setTimeout(LATE_MS)
      if (way === "cut") request.socket.destroy()
      else if (way === "refuse") response.writeHead(500).end()
      else response.writeHead(204).end(() => told.add(toEvent(id)))
    } catch (error) {
      // A sender that was killed amid a request is no fault of its message.
      if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") wrong.push(error)
      response.destroy()
    }
  }

  await new Promise<void>((resolve) => void receiver.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  t.after(() => {
    receiver.close()
    receiver.closeAllConnections()
  })

  return {
    async register(client) {
      const { webhooks } = createClient(client)
      ;({ secret } = await webhooks.create({ url, events: [...TYPES] }))
    },
    async assertTold(client, tasks) {
      const expected = await listEvents(client, tasks)
      while (expected.some((event) => !told.has(event))) {
        assert.deepEqual(wrong, [])
        await makeDue(database)
        await setTimeout(PAUSE_MS)
      }
      assert.deepEqual(wrong, [])
      assertOrdered([...seen.keys()])
    },
  }
}

/** The id of a message but for the digits of its event's hash, which the API does not show. */
function toEvent(message: string): string {
  return message.slice(0, message.lastIndexOf("_"))
}

/** What the messages have to tell of these tasks, by the API. */
async function listEvents(client: Client, tasks: Iterable<string>): Promise<readonly string[]> {
  const { events } = createClient(client)
  const types = new Set<string>(TYPES)
  const messages: string[] = []
  for (const task of tasks) {
    for (const { type, version } of await events(task)) {
      if (types.has(`task.${type}`)) messages.push(`msg_${task}_${version}`)
    }
  }
  return messages
}

/** What the nodes would see minutes later: what a dead one had in hand, and what failed, is to be sent. */
async function makeDue(database: string): Promise<void> {
  await execute(
    database,
    `update webhook_deliveries set due_at = 0 where (endpoint, message) in (
       select endpoint, message from webhook_deliveries where state = 'pending' for update skip locked)`,
  )
}

function assertOrdered(messages: readonly string[]): void {
  const newest = new Map<string, number>()
  for (const message of messages) {
    const [, task = "", version] = message.split("_")
    const before = newest.get(task) ?? 0
    assert.ok(Number(version) > before, `${message} came behind version ${before}`)
    newest.set(task, Number(version))
  }
}
