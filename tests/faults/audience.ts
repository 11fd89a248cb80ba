/**
 * What a round tells and to whom: every task and the account are watched by streams, and two webhooks go to one
 * receiver. All of it begins with the first node, before anything is submitted, and ends with the last one.
 */
import { setTimeout as pause } from "node:timers/promises"
import { WEBHOOK_TYPES, type Storage, type WebhookType } from "@safelight/core"
import type { Ledger } from "./ledger.ts"
import type { NodeProcess } from "./node-process.ts"
import type { Plan } from "./requests.ts"
import { createRandom } from "./random.ts"
import {
  createStreamWatchers,
  type StreamWatchersOptions,
  type WatchedStream,
} from "./stream-watchers.ts"
import {
  startWebhookReceiver,
  type ReceivedMessage,
  type WebhookReceiver,
} from "./webhook-receiver.ts"

/** A webhook as its owner knows it. */
export interface ToldWebhook {
  readonly id: string
  readonly path: string
  readonly secret: string
  readonly types: readonly WebhookType[]
  readonly received: readonly ReceivedMessage[]
}

export interface AudienceEvidence {
  readonly streams: readonly WatchedStream[]
  readonly webhooks: readonly ToldWebhook[]
}

export interface Audience extends AsyncDisposable {
  readonly receiver: WebhookReceiver
  /** What befell streams and messages, for the report. */
  met(): ReadonlyMap<string, number>
  /** The ledger, each of whose tasks is watched. */
  overhear(ledger: Ledger, plan: Plan): Ledger
  /** With the first node; resolves once the webhooks are there and the account's stream has begun. */
  begin(node: NodeProcess): Promise<void>
  /** With the last node, when every task has ended: nothing fails any more, and everything is told. */
  end(node: NodeProcess, storage: Pick<Storage, "listFeeds">): Promise<void>
  evidence(): AudienceEvidence
}

export interface AudienceOptions extends Omit<StreamWatchersOptions, "random"> {
  readonly seed: string
  readonly accounts: readonly string[]
}

/** A notice of expiry comes days later than anything of a round. */
const EVENT_TYPES = WEBHOOK_TYPES.filter((type) => type !== "task.expiring")

const WEBHOOKS: readonly { readonly path: string; readonly types: readonly WebhookType[] }[] = [
  { path: "/everything", types: EVENT_TYPES },
  { path: "/ends", types: ["task.succeeded", "task.failed"] },
]

/** What is missing by then is missing for good: all of it takes a moment. */
const TOLD_MS = 60_000
const SHOWN_MS = 20_000

export async function startAudience({
  accounts,
  seed,
  ...options
}: AudienceOptions): Promise<Audience> {
  const { activity, keyOf } = options
  const receiver = await startWebhookReceiver({
    activity,
    random: createRandom(`${seed}:receiver`),
  })
  const random = createRandom(`${seed}:watchers`)
  const watchers = createStreamWatchers({ ...options, random })
  const webhooks: Omit<ToldWebhook, "received">[] = []
  let begun: Promise<void> | undefined

  async function beginWith(node: NodeProcess): Promise<void> {
    for (const account of accounts) {
      const key = keyOf(account)?.key ?? ""
      for (const { path, types } of WEBHOOKS) {
        const url = `${receiver.origin}/${account}${path}`
        webhooks.push(await createWebhook({ node, key, url, types }))
      }
      await watchers.watchAccount(account)
    }
  }

  return {
    receiver,
    met: () => new Map([...watchers.cuts, ...receiver.met]),
    overhear: (ledger, plan) => ({
      ...ledger,
      async accepted(request, task) {
        await ledger.accepted(request, task)
        watchers.watchTask(plan(request).account, task)
      },
    }),
    begin: (node) => (begun ??= beginWith(node)),
    async end(node, storage) {
      await receiver.heal()
      const told = node.says("told")
      node.order({ kind: "tell" })
      await within(TOLD_MS, told)
      await within(SHOWN_MS, watchers.caughtUp(await storage.listFeeds()))
      await watchers.stop()
    },
    evidence: () => ({
      streams: watchers.streams,
      webhooks: webhooks.map((webhook) => ({
        ...webhook,
        received: receiver.received.filter(({ path }) => path === webhook.path),
      })),
    }),
    async [Symbol.asyncDispose]() {
      await watchers.stop()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

/** Resolves with the work, or without it once its time is over. */
async function within(durationMs: number, work: Promise<void>): Promise<void> {
  const over = new AbortController()
  const late = pause(durationMs, undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([work, late])
  over.abort()
}

interface WebhookRequest extends Pick<ToldWebhook, "types"> {
  readonly node: Pick<NodeProcess, "url">
  readonly key: string
  readonly url: string
}

/** At the first node, at which nothing fails yet but the look-ups of keys. */
async function createWebhook({
  key,
  node,
  types,
  url,
}: WebhookRequest): Promise<Omit<ToldWebhook, "received">> {
  for (;;) {
    const answer = await fetch(`${node.url}/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ url, events: types }),
    })
    if (answer.status === 201) {
      const { id, secret } = (await answer.json()) as Pick<ToldWebhook, "id" | "secret">
      return { id, path: new URL(url).pathname, secret, types }
    }
    await answer.body?.cancel()
    if (answer.status !== 503) throw new Error(`a webhook was answered ${answer.status}`)
  }
}
