/**
 * Webhooks over the storage in memory, on a manual clock, with receivers that answer as a test says. Whatever is
 * to happen has happened once the clock has moved: nothing here waits for I/O.
 */
import assert from "node:assert/strict"
import type { TestContext } from "node:test"
import {
  fold,
  openEvent,
  type Delivery,
  type EventData,
  type LogFields,
  type SendOutcome,
  type SendRequest,
  type StreamHead,
  type TaskCommand,
} from "@safelight/core"
import {
  advanceSample,
  createManualClock,
  createMemoryStorage,
  dispatchSample,
  submitSample,
  succeedSample,
  type ManualClock,
  type MemoryStorage,
} from "@safelight/testkit"
import {
  createWebhooks,
  type KnownTasks,
  type WebhookSettings,
  type Webhooks,
  type WebhooksOptions,
} from "@safelight/webhooks"

/** What a receiver does with a message; a status stands for an answer. */
export type Receive = (request: SendRequest) => number | SendOutcome | Promise<number | SendOutcome>

export interface Sent extends SendRequest {
  readonly at: number
  readonly id: string
  readonly payload: {
    readonly type: string
    readonly timestamp: string
    readonly data: Readonly<Record<string, unknown>>
  }
}

export interface WebhookWorld {
  readonly storage: MemoryStorage
  readonly clock: ManualClock
  readonly webhooks: Webhooks
  /** What a process needs besides storage and sender. */
  readonly parts: Pick<WebhooksOptions, "tasks" | "toTaskText" | "clock" | "log" | "random">
  /** Notes a request as one that a receiver got. */
  readonly note: (request: SendRequest) => void
  readonly sent: readonly Sent[]
  readonly lines: readonly { readonly message: string; readonly fields: LogFields }[]
  /** By URL; 200 by default. */
  readonly receivers: Map<string, Receive>
  /** Another process on the same storage. */
  createNode(settings?: Partial<WebhookSettings>): Webhooks
  /** Appends commands to a task; a new one is submitted first. */
  change(
    task: string,
    commands: readonly TaskCommand[],
    submitted?: Partial<EventData<"submitted">>,
  ): Promise<void>
  /** An endpoint; resolves to its id. */
  add(
    url: string,
    types?: Parameters<Webhooks["createWebhook"]>[0]["types"],
    account?: string,
  ): Promise<string>
  deliveries(id: string): Promise<readonly Delivery[]>
  /** The id of the message that tells of an event. */
  messageOf(task: string, version: number): string
  /** Of the notice of an expiry that an event set; in Unix seconds. */
  noticeOf(task: string, version: number, expiresAt: number): string
}

export const ACCEPT: TaskCommand = { kind: "accept", operation: null, upstreamKey: "key-1" }
export const FINISH: readonly TaskCommand[] = [dispatchSample(), ACCEPT, succeedSample()]

/** Where an account has an endpoint. */
export const URL_A = "https://a.example"

/** A world whose messages are sent. */
export function startWorld(t: TestContext, settings?: Partial<WebhookSettings>): WebhookWorld {
  const world = createWorld(t, settings)
  world.webhooks.start()
  return world
}

/** The same, with an endpoint at `URL_A`. */
export async function startEndpoint(t: TestContext, settings?: Partial<WebhookSettings>) {
  const world = startWorld(t, settings)
  const id = await world.add(URL_A)
  return { world, id, name: { account: "account", id } }
}

export function createWorld(t: TestContext, settings: Partial<WebhookSettings> = {}): WebhookWorld {
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const sent: Sent[] = []
  const lines: { message: string; fields: LogFields }[] = []
  const receivers = new Map<string, Receive>()
  const heads = new Map<string, StreamHead>()
  const write = (fields: LogFields, message: string): void => void lines.push({ message, fields })
  const log = { info: write, warn: write, error: write }
  const nodes: Webhooks[] = []
  const parts: WebhookWorld["parts"] = {
    tasks: toTasks(storage),
    toTaskText: ({ id, version }) => JSON.stringify({ task_id: id, version }),
    clock,
    log,
    random: () => 0.5,
  }

  function note(request: SendRequest): void {
    const payload = JSON.parse(request.body) as Sent["payload"]
    const id = request.headers["webhook-id"] ?? ""
    sent.push({ ...request, at: clock.now(), id, payload })
  }

  async function send(request: SendRequest): Promise<SendOutcome> {
    note(request)
    const calledOff = new Promise<SendOutcome>((resolve) => {
      const outcome: SendOutcome = { kind: "failed", failure: "called-off" }
      request.signal?.addEventListener("abort", () => resolve(outcome))
    })
    const received = receivers.get(request.url)?.(request) ?? 200
    const outcome = await Promise.race([received, calledOff])
    return typeof outcome === "number" ? { kind: "answered", status: outcome, body: "" } : outcome
  }

  function createNode(own: Partial<WebhookSettings> = {}): Webhooks {
    const node = createWebhooks({
      ...parts,
      storage,
      sender: {
        check: (url) => (url.startsWith("http") ? undefined : "url-not-allowed"),
        send,
        close: async () => {},
      },
      settings: { ...settings, ...own },
    })
    nodes.push(node)
    return node
  }

  function digitsOf(task: string, version: number): string {
    const { hash } = storage.events.get(task)?.[version - 1] ?? assert.fail()
    return hash.slice(0, 8)
  }

  t.after(async () => {
    const stopped = Promise.all(nodes.map((node) => node.stop({ graceMs: 0 })))
    await clock.advance(120_000)
    await stopped
  })
  const webhooks = createNode()
  return {
    storage,
    clock,
    webhooks,
    parts,
    note,
    sent,
    lines,
    receivers,
    createNode,
    async change(task, commands, submitted) {
      const now = clock.now()
      const known = heads.get(task)
      const first = known ?? (await submit(storage, task, now, submitted))
      if (commands.length === 0) return void heads.set(task, first)
      const { append, head } = advanceSample(first, commands, { now })
      await storage.append(append)
      heads.set(task, head)
    },
    async add(url, types, account = "account") {
      const made = await webhooks.createWebhook({ account, url, ...(types && { types }) })
      assert.equal(made.kind, "done")
      return made.webhook.id
    },
    deliveries: (id) => storage.listDeliveries({ endpoint: id, limit: 1_000 }),
    messageOf: (task, version) => `msg_${task}_${version}_${digitsOf(task, version)}`,
    noticeOf: (task, version, expiresAt) =>
      `msg_${task}_expiring_${expiresAt}_${digitsOf(task, version)}`,
  }
}

async function submit(
  storage: MemoryStorage,
  id: string,
  now: number,
  submitted: Partial<EventData<"submitted">> = {},
): Promise<StreamHead> {
  const { append, head } = submitSample({
    id,
    now,
    submitted: { endBy: now + 1_000_000_000, ...submitted },
  })
  await storage.append(append)
  return head
}

/** As an engine answers. */
function toTasks(storage: MemoryStorage): KnownTasks {
  return {
    async findTask({ account, id }) {
      const head = await storage.readTask(id)
      return head?.task.account === account ? head.task : undefined
    },
    async findTaskAt({ id, version }) {
      const events = (await storage.readEvents(id)).slice(0, version)
      const hash = events[version - 1]?.hash
      return hash === undefined ? undefined : { task: fold(id, events.map(openEvent)), hash }
    },
  }
}
