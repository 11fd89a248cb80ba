/**
 * A faulty node's webhooks: a try takes a moment, a dead node's are soon taken over, and once all else is over
 * their clock runs ahead to whatever waits for its next try, which may be a day away.
 */
import type { Delivery, Storage } from "@safelight/core"
import { createMessageSender } from "@safelight/fetch-guarded"
import { createTaskText } from "@safelight/http"
import { createWebhooks, type Webhooks, type WebhooksOptions } from "@safelight/webhooks"
import { readDeliveries } from "./read-deliveries.ts"
import { PUBLIC_URL, WEBHOOK_SETTINGS } from "./node-orders.ts"

export interface NodeWebhooks extends Webhooks {
  /** Resolves once everything that was to be told is, or was given up. */
  tellAll(): Promise<void>
}

export interface NodeWebhooksOptions extends Pick<WebhooksOptions, "clock" | "log" | "tasks"> {
  readonly storage: Storage
}

const LOOK_MS = 50

const publicUrl = (): string => PUBLIC_URL

export function createNodeWebhooks({
  clock,
  storage,
  ...parts
}: NodeWebhooksOptions): NodeWebhooks {
  let aheadMs = 0
  const ownClock = { ...clock, now: () => clock.now() + aheadMs }
  const webhooks = createWebhooks({
    ...parts,
    storage,
    sender: createMessageSender({ allowedAddresses: ["127.0.0.1/32"] }),
    toTaskText: createTaskText(publicUrl),
    clock: ownClock,
    settings: WEBHOOK_SETTINGS,
  })

  /** What waits for its next try comes due, unless a try is under way or begins in a moment. */
  function runAhead(waiting: readonly Delivery[]): void {
    const now = ownClock.now()
    const heads = new Map<string, Delivery>()
    for (const each of waiting) {
      const line = `${each.endpoint} ${each.subject}`
      if (each.sequence < (heads.get(line)?.sequence ?? Infinity)) heads.set(line, each)
    }
    const dueAt = [...heads.values()].map((each) => each.dueAt)
    if (dueAt.length > 0 && dueAt.every((at) => at > now + WEBHOOK_SETTINGS.leaseMs)) {
      aheadMs += Math.max(...dueAt) - now
    }
  }

  return {
    ...webhooks,
    async tellAll() {
      for (;;) {
        const waiting = await listWaiting(storage)
        if (waiting === undefined) return
        runAhead(waiting)
        await clock.wait(LOOK_MS)
      }
    },
  }
}

/** The deliveries that wait; undefined where none does, nor will. */
async function listWaiting(storage: Storage): Promise<readonly Delivery[] | undefined> {
  const waiting: Delivery[] = []
  let isBehind = false
  for (const { account, position, spreadTo } of await storage.listFeeds()) {
    const endpoints = await storage.listWebhooks(account)
    isBehind ||= endpoints.length > 0 && spreadTo < position
    for (const { id } of endpoints) {
      for await (const delivery of readDeliveries(storage, id, "pending")) waiting.push(delivery)
    }
  }
  return isBehind || waiting.length > 0 ? waiting : undefined
}
