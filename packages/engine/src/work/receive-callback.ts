/**
 * A provider's callback, at whichever node it comes in. What the provider vouches for heals a purchase
 * whose answer was lost; everything else is a reason to poll soon. How a task ends is decided by
 * polls alone, so that a callback which is lost, late, doubled or out of order costs only time.
 *
 *   address unknown → unknown, unread      not the provider's → forged
 *   dispatching, doubtful: its operation is asked for, and adopted if the provider answers
 *   running → polled soon      over, or of an earlier attempt → a line in the log if it was paid for
 */
import {
  traceCall,
  type CallbackOutcome,
  type CallbackResult,
  type Channel,
  type Json,
  type ReceiveCallbackRequest,
  type StreamHead,
} from "@safelight/core"
import type { OpenedCallback } from "../host/callback-addresses.ts"
import type { Context } from "../host/context.ts"
import { findTraceparent } from "../record/trace-input.ts"
import { toUnheld } from "./overdue.ts"
import { isKnownPurchase } from "./record-fact.ts"
import { toPollRequest } from "./request.ts"

/** The dispatcher, as far as callbacks concern it. */
export interface CallbackParts {
  /** Has the process that holds the task poll it soon. */
  readonly wakeHolder: (task: string) => void
  /** Has the queue looked at soon. */
  readonly wake: () => void
}

/** Looking at a signature takes milliseconds, and getting a provider's keys some seconds. */
const VERIFY_MS = 10_000
/** What the storage refuses for longer, the provider sends again. */
const MAX_TRIES = 3

/** Rejects where the storage or the channel fails; nothing of the callback was used then. */
export function receiveCallback(
  context: Context,
  parts: CallbackParts,
  request: ReceiveCallbackRequest,
): Promise<CallbackResult> {
  return traceCall(context.tracer, { name: "receive callback", kind: "consumer" }, async (span) => {
    const result = await receive(context, parts, request)
    span?.set({ "safelight.outcome": result })
    return result
  })
}

async function receive(
  context: Context,
  parts: CallbackParts,
  { channel: name, headers, key, query = {}, readBody }: ReceiveCallbackRequest,
): Promise<CallbackResult> {
  const { callbacks, channels, deadlines, log, storage } = context
  const channel = channels.find((each) => each.name === name)
  const opened = channel?.receive && (await callbacks.open(name, key))
  if (channel === undefined || opened === undefined) return "unknown"
  const head = await storage.readTask(toTask(opened))
  if (head === undefined) return "unknown"
  const { model } = head.task
  await linkTask(context, head, channel)
  const body = await readBody()
  const asked = { ...opened, model, headers, query, body }
  const outcome = await deadlines.run<CallbackOutcome>(VERIFY_MS, undefined, async (signal) =>
    channel.receive === undefined ? { kind: "ignored" } : channel.receive({ ...asked, signal }),
  )
  switch (outcome.kind) {
    case "forged":
      log.warn({ task: head.task.id, channel: name }, "callback refused")
      return "forged"
    case "ignored":
      return "taken"
    case "hint":
      wakeHolder(parts, head, opened)
      return "taken"
    case "verified":
      await use(context, parts, { channel, head, opened, operation: outcome.operation })
      return "taken"
  }
}

/** The callback comes in a trace of its own, if the provider makes one. */
async function linkTask(context: Context, { task }: StreamHead, { name }: Channel): Promise<void> {
  const span = context.tracer.active()
  if (span === undefined) return
  span.set({ "safelight.channel": name, "safelight.task.id": task.id })
  const traceparent = await findTraceparent(context, task.id)
  if (traceparent !== undefined) span.link(traceparent)
}

/** An upstream key is the task's id and a number. */
function toTask({ upstreamKey }: OpenedCallback): string {
  return upstreamKey.slice(0, upstreamKey.lastIndexOf("."))
}

interface Verified {
  readonly channel: Channel
  readonly head: StreamHead
  readonly opened: OpenedCallback
  readonly operation: Json | undefined
}

async function use(context: Context, parts: CallbackParts, verified: Verified): Promise<void> {
  const { channel, head, opened, operation } = verified
  const { state } = head.task
  const isLost = state === "dispatching" || state === "doubtful"
  if (operation === undefined) return wakeHolder(parts, head, opened)
  if (isLost && isCurrent(head, opened)) {
    // The provider vouches for the message; that the work is ours to be had, only an answer shows.
    await confirm(context, channel, head, operation)
    return adopt(context, parts, verified, operation)
  }
  reportLoss(context, verified, operation)
  wakeHolder(parts, head, opened)
}

function isCurrent({ task }: StreamHead, { upstreamKey }: OpenedCallback): boolean {
  return task.dispatch?.upstreamKey === upstreamKey
}

function wakeHolder(
  { wakeHolder: tell }: CallbackParts,
  head: StreamHead,
  opened: OpenedCallback,
): void {
  if (head.task.state === "running" && isCurrent(head, opened)) tell(head.task.id)
}

/**
 * Rejects where the provider does not know the operation, or can't be asked. Silence confirms nothing: it rejects
 * too, so that the provider sends the callback again.
 */
async function confirm(
  context: Context,
  channel: Channel,
  head: StreamHead,
  operation: Json,
): Promise<void> {
  const { deadlines, settings } = context
  const request = { ...(await toPollRequest(context, toUnheld(context, head))), operation }
  await deadlines.run(settings.pollTimeoutMs, undefined, (signal) =>
    channel.poll({ ...request, signal }),
  )
}

/**
 * The same fact as the answer to the call, or an operator's word: a process that still waits for that answer
 * finds it recorded.
 */
async function adopt(
  context: Context,
  parts: CallbackParts,
  verified: Verified,
  operation: Json,
): Promise<void> {
  const { log, probe, recorder } = context
  const { channel, head, opened } = verified
  const { id: task } = head.task
  const { upstreamKey } = opened
  await probe("outcome:before-append", task)
  const command = { kind: "accept", operation, upstreamKey } as const
  const recorded = await recorder.recordFact(head, [command], { maxTries: MAX_TRIES })
  await probe("outcome:after-append", task)
  if (recorded.kind === "recorded") {
    log.info({ task, channel: channel.name, upstreamKey }, "purchase recovered")
    parts.wake()
    return
  }
  // The answer to the call came first, or the task has moved on.
  const found = recorded.kind === "refused" ? recorded.head : undefined
  if (found === undefined) return
  reportLoss(context, { ...verified, head: found }, operation)
  wakeHolder(parts, found, opened)
}

/** Nobody will deliver it, so its handle goes into the log, as that of a refused answer does. */
function reportLoss({ log }: Context, { channel, head, opened }: Verified, operation: Json): void {
  const { upstreamKey } = opened
  if (isKnownPurchase(head, upstreamKey, operation)) return
  const { id: task, state } = head.task
  log.error(
    { task, channel: channel.name, upstreamKey, operation, state },
    "purchase not delivered",
  )
}
