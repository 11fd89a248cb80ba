/**
 * Webhooks, assembled: the service that accounts ask, and what works in the background once it is started.
 * Any number of processes may work on one storage; one that only serves requests starts nothing, and its test
 * messages and replays are sent by the others.
 */
import type {
  Clock,
  DeploymentStorage,
  FeedStorage,
  Log,
  MessageSender,
  WebhookService,
  WebhookStorage,
} from "@safelight/core"
import { createBacklog } from "./backlog.ts"
import { createBackground } from "./background.ts"
import { createDeliveryWorker } from "./delivery-worker.ts"
import { createFanOut } from "./fan-out.ts"
import type { KnownTasks } from "./known-tasks.ts"
import type { ToTaskText } from "./message.ts"
import { createRecorder } from "./recorder.ts"
import { repeatPages } from "./repeat-pages.ts"
import { createSecretSeal } from "./secret-seal.ts"
import { sendDelivery, type SendDeliveryOptions } from "./send-delivery.ts"
import { toSettings, type WebhookSettings } from "./settings.ts"
import { createWebhookService } from "./webhook-service.ts"

export interface WebhooksOptions {
  readonly storage: WebhookStorage &
    Pick<FeedStorage, "openFeed" | "findFeed" | "listFeeds" | "readFeed" | "onFed"> &
    Pick<DeploymentStorage, "agreeOnSealingSecret">
  readonly tasks: KnownTasks
  readonly sender: MessageSender
  /** The task as the API shows it: JSON. */
  readonly toTaskText: ToTaskText
  /** Processes that share a storage must agree on what is due: hand in `engine.clock`. */
  readonly clock: Clock
  readonly log: Log
  readonly settings?: Partial<WebhookSettings>
  /** From 0 up to 1; spreads retries. */
  readonly random?: () => number
}

export interface Webhooks extends WebhookService {
  /** Begins to spread feeds and to send. */
  start(): void
  /**
   * Removes deliveries that are over and old, and what deleted endpoints left; resolves to how many were old. Seals
   * secrets that an earlier release wrote in clear. At the moment of the clock, or at `now` (ms).
   */
  sweep(now?: number): Promise<number>
  /**
   * Takes nothing more, and lets what is being sent end for up to `graceMs`; the rest is called off, and sent
   * by others. Safe to call twice.
   */
  stop(options: { readonly graceMs: number }): Promise<void>
}

/** Throws `invalid-configuration`, naming the setting that is wrong. */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { storage, tasks, sender, toTaskText, clock, log, random = Math.random } = options
  const settings = toSettings(options.settings)
  const calledOff = new AbortController()
  const { signal } = calledOff
  const backlog = createBacklog({ storage, clock, settings })
  const seal = createSecretSeal(storage)
  const parts = { storage, tasks, toTaskText, clock, settings, log, backlog, seal }
  const recorder = createRecorder({ storage, clock, leaseMs: settings.leaseMs, log, signal })
  const { disable, clearLeft, sealSecrets, ...service } = createWebhookService({
    ...parts,
    sender,
    onQueued: (endpoint) => (background.isRunning() ? worker.wake([endpoint]) : undefined),
  })
  const sending: SendDeliveryOptions = {
    ...parts,
    sender,
    random,
    recorder,
    signal,
    async disable(endpoint, reason) {
      if (!(await disable(endpoint, reason))) return
      const { account, id } = endpoint
      log.warn({ account, webhook: id, reason }, "webhook disabled")
    },
  }
  const worker = createDeliveryWorker({
    ...parts,
    sendDelivery: (line, delivery, onAnswered) => sendDelivery(line, delivery, sending, onAnswered),
  })
  const fanOut = createFanOut({
    ...parts,
    onFanned: (endpoints) => worker.wake(endpoints),
  })
  const background = createBackground({ storage, clock, log, pollMs: settings.pollMs, random }, [
    { name: "fan-out", run: () => fanOut.spreadAll() },
    { name: "deliveries", run: () => worker.poll() },
  ])
  let stopping: Promise<void> | undefined

  async function stopAll(graceMs: number): Promise<void> {
    background.stop()
    const over = new AbortController()
    const stopped = worker.stop().then(() => over.abort())
    await clock.wait(graceMs, over.signal)
    calledOff.abort()
    await stopped
    await sender.close()
  }

  return {
    ...service,
    start: () => background.start((account) => fanOut.spread(account)),
    async sweep(now = clock.now()) {
      const before = now - settings.keptMs
      await clearLeft()
      await sealSecrets()
      return repeatPages((limit) => storage.removeDeliveries({ before, limit }))
    },
    stop: ({ graceMs }) => (stopping ??= stopAll(graceMs)),
  }
}
