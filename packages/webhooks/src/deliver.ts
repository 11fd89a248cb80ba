/** One try of a delivery: what is sent, and what becomes of the delivery by what the receiver answers. */
import {
  EXPIRING_TYPE,
  lastExpiryAt,
  type AbortSignalLike,
  type Clock,
  type Delivery,
  type DeliveryTry,
  type MessageSender,
  type RecordedTry,
  type SendOutcome,
  type WebhookEndpoint,
} from "@safelight/core"
import type { KnownTasks } from "./known-tasks.ts"
import { isNoticeOf } from "./message.ts"
import { toRetryDelayMs } from "./retry-delay.ts"
import type { SecretSeal } from "./secret-seal.ts"
import type { WebhookSettings } from "./settings.ts"
import { signMessage } from "./signing-secret.ts"

export interface DeliverOptions {
  readonly sender: Pick<MessageSender, "send">
  readonly seal: Pick<SecretSeal, "open">
  readonly tasks: KnownTasks
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  /** From 0 up to 1. */
  readonly random: () => number
  readonly settings: WebhookSettings
  readonly signal: AbortSignalLike
}

export interface Delivered {
  /** Undefined if the try was called off, or nothing can be signed: it is as if it had not been made. */
  readonly record: RecordedTry | undefined
  /** Why nothing more is to be sent to the endpoint. */
  readonly ending?: "gone" | "secret-lost"
}

/** More than one run of the schedule: those of replays are kept too, to a bound. */
const KEPT_TRIES = 20

const GONE = 410

export async function deliver(
  endpoint: WebhookEndpoint,
  delivery: Delivery,
  options: DeliverOptions,
): Promise<Delivered> {
  const { clock, seal, sender, settings, signal } = options
  if (delivery.type === EXPIRING_TYPE && !(await isStillRight(endpoint, delivery, options))) {
    return { record: toRecord(delivery, { state: "failed" }) }
  }
  const secrets = await seal.open(endpoint)
  if (secrets === undefined) return { record: undefined, ending: "secret-lost" }
  const at = clock.now()
  const began = clock.monotonicNow()
  const { message: id, payload: body } = delivery
  const outcome = await sender.send({
    url: endpoint.url,
    headers: {
      "content-type": "application/json",
      "user-agent": "Safelight-Webhooks",
      ...signMessage({ id, at, body }, secrets),
    },
    body,
    timeoutMs: settings.timeoutMs,
    answerBytes: settings.answerBytes,
    signal,
  })
  if (outcome.kind === "failed" && outcome.failure === "called-off") {
    return { record: undefined }
  }
  const durationMs = Math.round(clock.monotonicNow() - began)
  const tried = toTry(outcome, { at, durationMs, characters: settings.answerCharacters })
  const isGone = outcome.kind === "answered" && outcome.status === GONE
  return {
    record: toOutcome(delivery, { url: endpoint.url, outcome, tried, random: options.random() }),
    ...(isGone && { ending: "gone" }),
  }
}

/** A hold has moved the moment of some: the notice of the new one came with its event (`fan-out.ts`). */
async function isStillRight(
  { account }: WebhookEndpoint,
  { message, subject: id }: Delivery,
  { clock, tasks }: DeliverOptions,
): Promise<boolean> {
  const task = await tasks.findTask({ account, id })
  return task !== undefined && lastExpiryAt(task) > clock.now() && isNoticeOf(task, message)
}

function toTry(
  outcome: SendOutcome,
  { at, durationMs, characters }: { at: number; durationMs: number; characters: number },
): DeliveryTry {
  if (outcome.kind === "failed") {
    return { at, durationMs, status: null, failure: outcome.failure, answer: "" }
  }
  const answer = outcome.body.slice(0, characters).toWellFormed()
  return { at, durationMs, status: outcome.status, failure: null, answer }
}

interface Tried {
  readonly url: string
  readonly outcome: SendOutcome
  readonly tried: DeliveryTry
  readonly random: number
}

function toOutcome(delivery: Delivery, { outcome, tried, random, url }: Tried): RecordedTry {
  const history = [...delivery.history, tried].slice(-KEPT_TRIES)
  const at = tried.at + tried.durationMs
  if (outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300) {
    return toRecord(delivery, {
      state: "delivered",
      history,
      standing: { at, url, hasSucceeded: true },
    })
  }
  const standing = { at, url, hasSucceeded: false }
  const asked = outcome.kind === "answered" ? outcome.retryAfterMs : undefined
  const delayMs = toRetryDelayMs(delivery.tries, random, asked)
  if (delayMs === undefined) return toRecord(delivery, { state: "failed", history, standing })
  return toRecord(delivery, { state: "pending", dueAt: at + delayMs, history, standing })
}

function toRecord(
  delivery: Delivery,
  record: Pick<RecordedTry, "state"> & Partial<RecordedTry>,
): RecordedTry {
  const { dueAt, history } = delivery
  return { delivery, dueAt, history, standing: null, ...record }
}
