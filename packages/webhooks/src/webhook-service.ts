/**
 * What accounts ask of their webhooks. An endpoint is changed from the revision that was read: of two changes
 * at once the later one is made again, so that neither undoes the other.
 */
import { randomBytes } from "node:crypto"
import {
  KEPT_FOREVER,
  type Clock,
  type Delivery,
  type DeliveryResult,
  type DisabledReason,
  type FeedStorage,
  type MessageName,
  type MessageSender,
  type NewWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookEndpoint,
  type WebhookName,
  type WebhookRejection,
  type WebhookSecretResult,
  type WebhookService,
  type WebhookStorage,
  type WebhookType,
} from "@safelight/core"
import type { Backlog } from "./backlog.ts"
import { toTestMessage } from "./message.ts"
import { repeatPages } from "./repeat-pages.ts"
import { isSealed, type SecretSeal } from "./secret-seal.ts"
import type { WebhookSettings } from "./settings.ts"
import { createSigningSecret } from "./signing-secret.ts"

export interface WebhookServiceOptions {
  readonly storage: WebhookStorage & Pick<FeedStorage, "openFeed" | "listFeeds">
  readonly seal: SecretSeal
  readonly sender: Pick<MessageSender, "check">
  readonly clock: Pick<Clock, "now">
  readonly settings: WebhookSettings
  readonly backlog: Backlog
  /** Called with an endpoint that has a new delivery. */
  readonly onQueued: (endpoint: WebhookEndpoint) => void
}

/** What an account may ask, and what is decided for it. */
export interface WebhookControl extends WebhookService {
  /** Disables an endpoint; false if it is already, there is none, or it has another URL. */
  readonly disable: (endpoint: WebhookEndpoint, reason: DisabledReason) => Promise<boolean>
  /** Clears what those left that died while they disabled or deleted an endpoint. */
  readonly clearLeft: () => Promise<void>
  /** Seals the secrets that stand in clear. */
  readonly sealSecrets: () => Promise<void>
}

/** That a task came to its end, well or not. */
const DEFAULT_TYPES: readonly WebhookType[] = ["task.succeeded", "task.failed"]

/** An hour in which a stream may still read the events. */
const FEED_GRACE_MS = 3_600_000

const UNKNOWN: WebhookRejection = { kind: "unknown" }
const DISABLED: WebhookRejection = { kind: "disabled" }

export function createWebhookService(options: WebhookServiceOptions): WebhookControl {
  const { storage, clock } = options
  const change = createChange(options)
  return {
    createWebhook: (request) => create(request, options),
    listWebhooks: async (account) => (await storage.listWebhooks(account)).map(toWebhook),
    async findWebhook(name) {
      const endpoint = await storage.findWebhook(name)
      return endpoint && toWebhook(endpoint)
    },
    async updateWebhook({ account, id, ...wanted }) {
      if (wanted.url !== undefined && options.sender.check(wanted.url) !== undefined) {
        return { kind: "url-not-allowed" }
      }
      // What waited when it was disabled is not sent once it is enabled.
      if (wanted.isEnabled === true) await clearDeliveries(storage, id)
      const changed = await change(
        { account, id },
        (endpoint) => applyChange(endpoint, wanted, clock.now()),
        // Whoever stands at another address has proven nothing.
        ({ url }) => wanted.isEnabled === true || (wanted.url ?? url) !== url,
      )
      if (wanted.isEnabled === false) await clearDeliveries(storage, id)
      return changed === undefined ? UNKNOWN : { kind: "done", webhook: toWebhook(changed) }
    },
    async deleteWebhook(name) {
      const keepFeedUntil = clock.now() + FEED_GRACE_MS
      if (!(await storage.deleteWebhook({ ...name, keepFeedUntil }))) return false
      await clearDeliveries(storage, name.id)
      return true
    },
    rotateWebhook: async ({ overlapMs, ...name }) => {
      const secret = createSigningSecret()
      const changed = await change(name, (endpoint) =>
        addSecret(endpoint, secret, { now: clock.now(), overlapMs }),
      )
      if (changed === undefined) return UNKNOWN
      return { kind: "done", webhook: toWebhook(changed), secret }
    },
    async disable({ account, id, url }, reason) {
      const changed = await change({ account, id }, (endpoint) =>
        endpoint.disabledAt > 0 || endpoint.url !== url
          ? undefined
          : { ...endpoint, disabledAt: clock.now(), disabledReason: reason },
      )
      if (changed === undefined) return false
      await clearDeliveries(storage, id)
      return true
    },
    async clearLeft() {
      for (const endpoint of await storage.findUncleared()) {
        // oxlint-disable-next-line no-await-in-loop -- one page at a time, so that nothing waits for long
        await clearDeliveries(storage, endpoint)
      }
    },
    sealSecrets: () => sealSecrets(storage, change),
    ...createDeliveryMethods(options),
  }
}

/** An endpoint that is neither disabled nor deleted keeps what it has. */
async function clearDeliveries(
  storage: Pick<WebhookStorage, "clearDeliveries">,
  endpoint: string,
): Promise<void> {
  await repeatPages((limit) => storage.clearDeliveries({ endpoint, limit }))
}

/** Those that stand in clear; what is written is sealed. */
async function sealSecrets(
  storage: Pick<WebhookServiceOptions["storage"], "listFeeds" | "listWebhooks">,
  change: Change,
): Promise<void> {
  for (const { account } of await storage.listFeeds()) {
    // oxlint-disable no-await-in-loop -- one after the other, so that nothing waits for long
    const found = await storage.listWebhooks(account)
    const inClear = found.filter(({ secrets }) => !secrets.every(isSealed))
    for (const endpoint of inClear) await change(endpoint, (same) => same)
    // oxlint-enable no-await-in-loop
  }
}

async function create(
  { account, url, description = "", types = DEFAULT_TYPES }: NewWebhook,
  { clock, seal, sender, settings, storage }: WebhookServiceOptions,
): Promise<WebhookSecretResult> {
  if (sender.check(url) !== undefined) return { kind: "url-not-allowed" }
  const secret = createSigningSecret()
  const endpoint = await seal.seal({
    id: `we_${randomBytes(12).toString("hex")}`,
    account,
    createdAt: clock.now(),
    url,
    description,
    types: [...new Set(types)],
    secrets: [{ secret, expiresAt: 0 }],
    disabledAt: 0,
    disabledReason: null,
    failingSince: 0,
    provenAt: 0,
    revision: 1,
  })
  const most = settings.endpointsPerAccount
  await storage.openFeed({ account, until: KEPT_FOREVER })
  if (!(await storage.createWebhook({ endpoint, most }))) return { kind: "too-many", most }
  return { kind: "done", webhook: toWebhook(endpoint), secret }
}

type Change = (
  name: WebhookName,
  toChanged: (endpoint: WebhookEndpoint) => WebhookEndpoint | undefined,
  /** Whether it begins afresh; it does not by default. */
  isRenewed?: (endpoint: WebhookEndpoint) => boolean,
) => Promise<WebhookEndpoint | undefined>

/** Undefined if there is no such endpoint, or nothing to change. What it writes is sealed. */
function createChange({ seal, storage }: WebhookServiceOptions): Change {
  return async (name, toChanged, toRenewed = () => false) => {
    for (;;) {
      const endpoint = await storage.findWebhook(name)
      const wanted = endpoint && toChanged(endpoint)
      if (endpoint === undefined || wanted === undefined) return undefined
      const changed = await seal.seal({ ...wanted, revision: endpoint.revision + 1 })
      const isRenewed = toRenewed(endpoint)
      const isDone = await storage.updateWebhook(changed, { isRenewed })
      if (isDone) return isRenewed ? { ...changed, failingSince: 0, provenAt: 0 } : changed
    }
  }
}

function applyChange(
  endpoint: WebhookEndpoint,
  { url, description, types, isEnabled }: WebhookChange,
  now: number,
): WebhookEndpoint {
  const disabled =
    isEnabled === false && endpoint.disabledAt === 0
      ? ({ disabledAt: now, disabledReason: "account" } as const)
      : {}
  return {
    ...endpoint,
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    ...(types !== undefined && { types: [...new Set(types)] }),
    ...disabled,
    ...(isEnabled === true && { disabledAt: 0, disabledReason: null }),
  }
}

/** Of the old secrets only those stay that are valid, and none longer than asked for now. */
function addSecret(
  endpoint: WebhookEndpoint,
  secret: string,
  { now, overlapMs }: { readonly now: number; readonly overlapMs: number },
): WebhookEndpoint {
  const until = now + overlapMs
  const old = endpoint.secrets
    .map(({ secret: known, expiresAt }) => ({
      secret: known,
      expiresAt: expiresAt === 0 ? until : Math.min(expiresAt, until),
    }))
    .filter(({ expiresAt }) => expiresAt > now)
  return { ...endpoint, secrets: [{ secret, expiresAt: 0 }, ...old].slice(0, MOST_SECRETS) }
}

/** A message has a signature for each: receivers look at a few. */
const MOST_SECRETS = 5

/** Member by member: what is added to an endpoint is not shown by accident. */
function toWebhook(endpoint: WebhookEndpoint): Webhook {
  const { id, account, createdAt, url, description, types } = endpoint
  const { disabledAt, disabledReason, failingSince, provenAt, secrets } = endpoint
  const oldSecretsEndAt = Math.max(0, ...secrets.map(({ expiresAt }) => expiresAt))
  const shown = { id, account, createdAt, url, description, types, disabledAt, disabledReason }
  return { ...shown, failingSince, provenAt, oldSecretsEndAt }
}

function createDeliveryMethods(
  options: WebhookServiceOptions,
): Pick<
  WebhookService,
  "testWebhook" | "findDelivery" | "listDeliveries" | "replayDelivery" | "replayFailed"
> {
  const { storage, clock, onQueued } = options
  /** Another account's delivery is as unknown as one that never was. */
  async function findOwn({ account, id, message }: MessageName): Promise<Delivery | undefined> {
    const endpoint = await storage.findWebhook({ account, id })
    return endpoint && storage.findDelivery({ endpoint: id, message })
  }

  async function toResult(name: MessageName): Promise<DeliveryResult> {
    const delivery = await findOwn(name)
    return delivery === undefined ? UNKNOWN : { kind: "done", delivery }
  }

  return {
    findDelivery: findOwn,
    async testWebhook(name) {
      const found = await findRoomy(name, options)
      if ("rejection" in found) return found.rejection
      const message = toTestMessage(clock.now())
      await storage.addDelivery({ ...message, endpoint: name.id })
      onQueued(found.endpoint)
      return toResult({ ...name, message: message.message })
    },
    async listDeliveries({ account, id, limit, ...query }) {
      if ((await storage.findWebhook({ account, id })) === undefined) return undefined
      // One more than asked for shows whether there is another page.
      const found = await storage.listDeliveries({ endpoint: id, limit: limit + 1, ...query })
      const deliveries = found.slice(0, limit)
      const last = found.length > limit ? deliveries.at(-1) : undefined
      const next = last === undefined ? null : { createdAt: last.createdAt, message: last.message }
      return { deliveries, next }
    },
    async replayDelivery({ account, id, message }) {
      const found = await findRoomy({ account, id }, options)
      if ("rejection" in found) return found.rejection
      const now = clock.now()
      await storage.replayDeliveries({ endpoint: id, message, now })
      onQueued(found.endpoint)
      return toResult({ account, id, message })
    },
    async replayFailed({ since, ...name }) {
      const found = await findRoomy(name, options)
      if ("rejection" in found) return found.rejection
      const now = clock.now()
      const endpoint = name.id
      // As many as there is room for: where that is fewer than a page, it is the last one.
      const replayed = await repeatPages(async (most) => {
        const limit = await options.backlog.take(endpoint, most)
        return storage.replayDeliveries({ endpoint, since, now, limit })
      })
      onQueued(found.endpoint)
      return { kind: "done", replayed }
    },
  }
}

type Found = { readonly endpoint: WebhookEndpoint } | { readonly rejection: WebhookRejection }

/** The same where no more messages may wait for it. */
async function findRoomy(
  name: WebhookName,
  { storage, backlog, settings }: WebhookServiceOptions,
): Promise<Found> {
  const found = await findEnabled(storage, name)
  if ("rejection" in found || (await backlog.take(name.id, 1)) === 1) return found
  return { rejection: { kind: "too-many-waiting", most: settings.waitingPerEndpoint } }
}

/** A rejection if nothing can be sent there. */
async function findEnabled(
  storage: Pick<WebhookStorage, "findWebhook">,
  name: WebhookName,
): Promise<Found> {
  const endpoint = await storage.findWebhook(name)
  if (endpoint === undefined) return { rejection: UNKNOWN }
  return endpoint.disabledAt > 0 ? { rejection: DISABLED } : { endpoint }
}
