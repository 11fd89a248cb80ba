/**
 * Asking a channel for the work, bought once (design §5): the intent is durable before a byte
 * leaves, and the call begins only while the lease holds. A call that outlives its lease is found by
 * another process and is in doubt for it; the answer is recorded all the same.
 *
 *   queued, doubtful (same key) ─dispatched→ call ─┬→ accepted
 *                                                  ├→ succeeded | failed | deferred
 *                                                  └→ doubted
 */
import { honoursKey, type Channel, type Input, type Json, type TaskCommand } from "@safelight/core"
import { callChannel } from "./channel-call.ts"
import type { Context } from "../host/context.ts"
import { measureInputs } from "../media/measure-inputs.ts"
import { withCopies } from "../media/video-copies.ts"
import { ERASED, settle } from "./outcome.ts"
import { recordFact } from "./record-fact.ts"
import { readHops, toRequest, type WorkRequest } from "./request.ts"
import type { ChannelPermit } from "../scheduling/routing.ts"
import { advance, type StepResult, type Work } from "./work.ts"

/** A first call under a new key. */
export async function dispatchFirst(context: Context, work: Work): Promise<StepResult> {
  const { attempt, model, refusedBy } = work.head.task
  const upstreamKey = `${work.id}.${attempt + 1}`
  const asked = await toRequest(context, work, upstreamKey)
  if (asked === undefined) return settle(context, work, ERASED)
  const measured = await measureInputs(context, work, asked.parameters)
  if (measured.kind === "refused") return settle(context, work, measured)
  if (measured.kind === "not-now") return "leave"
  // Where measuring has released it, others may have the room by now: the task goes back to its place.
  work.permit ??= context.routing.tryAcquire(model, asked.parameters, refusedBy)
  if (work.permit === undefined) return "leave"
  return dispatch(context, work, work.permit, { asked, inputs: measured.inputs, isRepeat: false })
}

/** The same call again, after a doubt: whatever it proves says nothing of the first one. */
export async function dispatchAgain(
  context: Context,
  work: Work,
  permit: ChannelPermit,
  upstreamKey: string,
): Promise<StepResult> {
  const asked = await toRequest(context, work, upstreamKey)
  if (asked === undefined) return settle(context, work, ERASED)
  // What the first call bought was measured before it.
  return dispatch(context, work, permit, { asked, inputs: [], isRepeat: true })
}

interface Dispatch {
  readonly asked: WorkRequest
  /** To be written down with the purchase. */
  readonly inputs: readonly Input[]
  readonly isRepeat: boolean
}

async function dispatch(
  context: Context,
  work: Work,
  permit: ChannelPermit,
  { asked, inputs, isRepeat }: Dispatch,
): Promise<StepResult> {
  const { clock, recorder, probe } = context
  const { upstreamKey } = asked
  const given = await withCopies(context, work, asked)
  const request = await addSurroundings(context, permit.channel, given)
  await probe("dispatch:before-append", work.id)
  // Whoever wakes past its lease changes nothing.
  if (toHeldMs(context, work) <= 0) return "leave"
  // Nor does a new purchase begin that was paused meanwhile; a repeat buys nothing.
  if (!isRepeat && permit.isPaused()) return "leave"
  const command: TaskCommand = {
    kind: "dispatch",
    because: permit.because,
    channel: permit.channel.name,
    lease: work.lease.id,
    sendBefore: clock.now() + toHeldMs(context, work),
    upstreamKey,
  }
  // Until it is known whether it is stored: who found it later would take it for a call that was made.
  const { signal } = work.ending
  const recorded = await recorder.recordIntent(work.head, command, {
    signal,
    now: clock.judgedNow(),
    inputs,
  })
  if (advance(work, recorded) === "leave") return "leave"
  await probe("dispatch:after-append", work.id)
  const known = isRepeat ? null : await findForgotten(context, work, permit, request)
  if (known !== null) {
    const { operation } = known
    return recordFact(context, work, [{ kind: "accept", operation, upstreamKey }])
  }
  if (!canSend(context, work, permit, isRepeat)) return recordUnsent(context, work, isRepeat)
  return callChannel(context, work, permit, { request, isRepeat })
}

/** What channels that have a use for it learn of the service itself. */
async function addSurroundings(
  context: Context,
  channel: Channel,
  asked: WorkRequest,
): Promise<WorkRequest> {
  const callback = await context.callbacks.create(channel, asked.upstreamKey)
  return {
    ...asked,
    ...(channel.relays && { hops: await readHops(context, asked.task) }),
    ...(callback && { callback }),
  }
}

/** Longer than a task waits that nothing stands in the way of. */
const WAITED_MS = 60_000

/**
 * What a channel that can be asked knows of the first key of a task that has waited: a database that
 * lost its last commits may have forgotten the call. Rejects where the channel does not answer; the
 * task is then in doubt, though nothing was sent, and is looked up as any doubt is.
 */
async function findForgotten(
  { clock, deadlines, settings }: Context,
  work: Work,
  { channel }: ChannelPermit,
  request: WorkRequest,
): Promise<{ readonly operation: Json } | null> {
  const { attempt, createdAt } = work.head.task
  const isLate = attempt === 1 && clock.now() - createdAt > WAITED_MS
  if (!isLate || channel.submission.kind !== "lookup" || channel.find === undefined) return null
  const { signal } = work.controller
  const find = async (bound: AbortSignal) => channel.find?.({ ...request, signal: bound }) ?? null
  return deadlines.run(settings.pollTimeoutMs, signal, find)
}

/** How long the call may still be put off. */
function toHeldMs({ clock }: Context, { lease }: Work): number {
  return Math.floor(Math.max(0, lease.heldUntil - clock.monotonicNow()))
}

/**
 * Asked just before the call: the work is still ours, what the log says of the moment is true, and a
 * repeated key is still honoured.
 */
function canSend(context: Context, work: Work, permit: ChannelPermit, isRepeat: boolean): boolean {
  if (work.controller.signal.aborted || toHeldMs(context, work) <= 0) return false
  const { sendBefore = -Infinity } = work.head.task.dispatch ?? {}
  if (context.clock.now() >= sendBefore) return false
  return !isRepeat || isKeyAlive(permit, work, context.clock.now())
}

/** Whether the key outlives a repeat begun now; true for channels that honour no key. */
export function isKeyAlive({ channel }: ChannelPermit, { head }: Work, now: number): boolean {
  return honoursKey(channel, head.task.dispatch?.keyedAt ?? now, now)
}

/** Nothing was sent, which is proof, unless an earlier call under the key is still in doubt. */
async function recordUnsent(context: Context, work: Work, isRepeat: boolean): Promise<StepResult> {
  const { attempt } = work.head.task
  const command = isRepeat
    ? ({ kind: "doubt", attempt, code: "repeat-unsent" } as const)
    : ({ kind: "defer", attempt, reason: "unsent", retryAt: context.clock.now() } as const)
  return recordFact(context, work, [command])
}
