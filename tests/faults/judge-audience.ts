/** Reads what is stored of feeds and webhooks, and has both judged by it and by the log. */
import type { ReadEntry, Storage, StoredEvent } from "@safelight/core"
import { judgeStreams, type StoredFeed } from "./judge-streams.ts"
import { judgeWebhooks, type StoredWebhook } from "./judge-webhooks.ts"
import { readDeliveries } from "./read-deliveries.ts"
import type { RoundFaults } from "./round-faults.ts"
import type { AudienceEvidence } from "./audience.ts"
import type { Told } from "./told.ts"
import { toToldEvents } from "./told-events.ts"

export interface AudienceCase extends AudienceEvidence {
  readonly faults: RoundFaults
  readonly storage: Storage
  readonly told: Pick<Told, "suspensions">
}

const PAGE = 500

export async function judgeAudience(
  { streams, webhooks, faults, storage, told: { suspensions } }: AudienceCase,
  histories: ReadonlyMap<string, readonly StoredEvent[]>,
  fail: (words: string) => void,
): Promise<void> {
  const told = toToldEvents(histories)
  const feeds = new Map<string, StoredFeed>()
  const stored = new Map<string, StoredWebhook>()
  for (const { account, id } of await storage.listFeeds()) {
    feeds.set(account, { id, entries: await readFeed(storage, account) })
    for (const endpoint of await storage.listWebhooks(account)) {
      const deliveries = await readAll(readDeliveries(storage, endpoint.id))
      stored.set(endpoint.id, { endpoint, deliveries })
    }
  }
  judgeStreams({ faults, fail, told, feeds, suspensions }, streams)
  await judgeWebhooks({ faults, fail, told, stored }, webhooks)
}

async function readFeed(storage: Storage, account: string): Promise<readonly ReadEntry[]> {
  const entries: ReadEntry[] = []
  for (;;) {
    const after = entries.at(-1)?.position ?? 0
    const page = await storage.readFeed({ account, after, limit: PAGE })
    entries.push(...page)
    if (page.length < PAGE) return entries
  }
}

async function readAll<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
