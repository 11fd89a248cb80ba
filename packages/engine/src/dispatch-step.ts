/**
 * Asking a channel for the work, bought once (design §5): the intent is durable before a byte
 * leaves, the call is made only while the claim surely outlives it, and an outcome that is unknown
 * is recorded as such.
 *
 *   queued, doubtful (same key) ─dispatched→ call ─┬→ accepted
 *                                                  ├→ succeeded | failed | deferred
 *                                                  └→ doubted
 */
import { isSafelightError, type SubmitOutcome, type TaskCommand } from "@safelight/core"
import type { Context } from "./context.ts"
import { toRequest, type WorkRequest } from "./request.ts"
import { settle } from "./outcome.ts"
import type { Slot } from "./routing.ts"
import { advance, type StepResult, type Work } from "./work.ts"

/** Records the intent and makes the call. `upstreamKey` is given where a call is repeated. */
export async function dispatch(
  context: Context,
  work: Work,
  slot: Slot,
  upstreamKey = `${work.id}.${work.head.task.attempt + 1}`,
): Promise<StepResult> {
  const { clock, recorder, probe } = context
  const request = await toRequest(context, work, upstreamKey)
  if (request === undefined) return failErased(context, work)
  await probe("dispatch:before-append", work.id)
  const recorded = await recorder.recordIntent(work.head, {
    kind: "dispatch",
    because: slot.because,
    channel: slot.channel.name,
    claim: work.claim,
    sendBefore: clock.now() + toSlackMs(context, work, slot),
    upstreamKey,
  })
  if (advance(work, recorded) === "leave") return "leave"
  await probe("dispatch:after-append", work.id)
  if (toSlackMs(context, work, slot) <= 0) return recordUnsent(context, work)
  const outcome = await call(context, work, slot, request)
  await probe("dispatch:after-call", work.id)
  return record(context, work, outcome)
}

/** How long the call may still be put off, so that the claim outlives its time-out. */
function toSlackMs({ clock }: Context, work: Work, slot: Slot): number {
  const heldMs = work.heldUntil - clock.monotonicNow()
  return Math.floor(Math.max(0, heldMs - slot.channel.submitTimeoutMs))
}

type CallOutcome = SubmitOutcome | { readonly kind: "unknown"; readonly code: string }

async function call(
  context: Context,
  work: Work,
  slot: Slot,
  request: WorkRequest,
): Promise<CallOutcome> {
  const { channel, breaker } = slot
  let answer: Promise<SubmitOutcome> | undefined
  try {
    const outcome = await context.deadlines.run(
      channel.submitTimeoutMs,
      request.signal,
      (signal) => (answer = channel.submit({ ...request, signal })),
    )
    if (outcome.kind === "not-created") breaker.recordFailure()
    else breaker.recordSuccess()
    return outcome
  } catch (error) {
    breaker.recordFailure()
    const code = isSafelightError(error) ? error.code : "unexpected"
    if (code === "aborted" && answer !== undefined) void adoptLate(context, work, answer)
    context.log.warn({ task: work.id, channel: channel.name, error }, "a call's outcome is unknown")
    return { kind: "unknown", code }
  }
}

/** An answer past the time-out is still a fact: what it bought is adopted, never dropped. */
async function adoptLate(
  context: Context,
  work: Work,
  answer: Promise<SubmitOutcome>,
): Promise<void> {
  try {
    await record(context, work, await answer)
  } catch (error) {
    context.log.warn({ task: work.id, error }, "a late answer brought nothing")
  }
}

async function record(context: Context, work: Work, outcome: CallOutcome): Promise<StepResult> {
  if (outcome.kind === "accepted") {
    return recordFact(context, work, { kind: "accept", operation: outcome.operation })
  }
  const { attempt } = work.head.task
  if (outcome.kind === "unknown") {
    return recordFact(context, work, { kind: "doubt", attempt, code: outcome.code })
  }
  try {
    return await settle(context, work, outcome, toAcceptance(outcome))
  } catch (error) {
    // The outputs came with the answer and could not be kept: whether they can be had again
    // depends on what the channel makes of a repeat, which is just what a doubt resolves.
    if (!isSafelightError(error)) throw error
    context.log.warn({ task: work.id, error }, "an immediate result could not be collected")
    return recordFact(context, work, { kind: "doubt", attempt, code: "collection-failed" })
  }
}

/** An operation that came with its result is recorded together with it. */
function toAcceptance(outcome: SubmitOutcome): TaskCommand[] {
  if (outcome.kind !== "completed" || outcome.operation === undefined) return []
  return [{ kind: "accept", operation: outcome.operation }]
}

/** The claim ran short between the intent and the call: nothing was sent, and that is proof. */
function recordUnsent(context: Context, work: Work): Promise<StepResult> {
  const { attempt } = work.head.task
  const retryAt = context.clock.now()
  return recordFact(context, work, { kind: "defer", attempt, reason: "claim-too-short", retryAt })
}

async function failErased(context: Context, work: Work): Promise<StepResult> {
  const { attempt } = work.head.task
  const message = "The request's parameters were erased before it was carried out."
  const command = {
    kind: "fail",
    attempt,
    code: "internal_error",
    message,
  } as const
  return recordFact(context, work, command)
}

async function recordFact(context: Context, work: Work, command: TaskCommand): Promise<StepResult> {
  await context.probe("outcome:before-append", work.id)
  const { signal } = work.controller
  const recorded = await context.recorder.recordFact(work.head, [command], { signal })
  await context.probe("outcome:after-append", work.id)
  return advance(work, recorded)
}
