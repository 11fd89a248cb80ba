/**
 * One call to a channel, and the record of what came of it. An outcome that is unknown is recorded
 * as such; an answer past the time-out is still a fact and adopted.
 */
import {
  isSafelightError,
  type Busy,
  type Completed,
  type Json,
  type NotCreated,
  type Refused,
  type SubmitOutcome,
  type TaskCommand,
} from "@safelight/core"
import { toReason } from "./answers/answer-parts.ts"
import type { Context } from "../host/context.ts"
import { toToldWords } from "../host/troubles.ts"
import { settle } from "./outcome.ts"
import { recordFact } from "./record-fact.ts"
import type { WorkRequest } from "./request.ts"
import type { ChannelPermit } from "../scheduling/routing.ts"
import { toBackoffMs } from "../host/settings.ts"
import type { StepResult, Work } from "./work.ts"

export interface ChannelCall {
  readonly request: WorkRequest
  /** Whether an earlier call under the same key is in doubt. */
  readonly isRepeat: boolean
}

type CallOutcome = SubmitOutcome | { readonly kind: "unknown"; readonly code: string }

export async function callChannel(
  context: Context,
  work: Work,
  permit: ChannelPermit,
  call: ChannelCall,
): Promise<StepResult> {
  const outcome = await submit(context, work, permit, call)
  await context.probe("dispatch:after-call", work.id)
  return record(context, work, outcome, call)
}

/** Bounded by its own time-out alone: a stop or a lost lease does not cut a purchase short. */
async function submit(
  context: Context,
  work: Work,
  permit: ChannelPermit,
  call: ChannelCall,
): Promise<CallOutcome> {
  const { breaker, channel } = permit
  const request = call.isRepeat ? { ...call.request, isRepeat: true as const } : call.request
  let answer: Promise<SubmitOutcome> | undefined
  try {
    const outcome = await context.deadlines.run(channel.submitTimeoutMs, undefined, (signal) => {
      permit.beginCall()
      return (work.call = answer = channel.submit({ ...request, signal }))
    })
    judge(context, work, permit, outcome)
    return outcome
  } catch (error) {
    breaker.recordFailure()
    const code = isSafelightError(error) ? toReason(error.code) : "unexpected"
    if (code === "aborted" && answer !== undefined) {
      context.lateAnswers.await(work, answer, (late) => record(context, work, late, call))
    }
    context.log.warn({ task: work.id, channel: channel.name, error }, "submit outcome unknown")
    return { kind: "unknown", code }
  } finally {
    work.call = undefined
    permit.endCall()
  }
}

/**
 * What an answer says of the channel: a request that it can't take says that it works, and one for
 * which it has no room says neither.
 */
function judge(
  { log, settings, troubles }: Context,
  { id }: Work,
  { breaker, channel, pause }: ChannelPermit,
  outcome: SubmitOutcome,
): void {
  if (outcome.kind === "busy") return pause(outcome.retryAfterMs ?? settings.backoffMs)
  const { name } = channel
  const isFailing = outcome.kind === "not-created" && outcome.isAboutRequest !== true
  if (!isFailing) {
    troubles.endPurchase(name)
    return breaker.recordSuccess()
  }
  breaker.recordFailure()
  const { needsOperator, providerWords, reason } = outcome
  const words = toToldWords(providerWords)
  // Others may serve, and then no task fails of it: the operator has to read of it here.
  log.warn({ task: id, channel: name, reason, ...(words !== "" && { words }) }, "task not created")
  if (needsOperator !== true || !troubles.notePurchase(name, { reason, words })) return
  log.error({ channel: name, reason, words }, "channel needs its operator")
}

/** It is the channel that a busy one's pause is for: another may take the task meanwhile. */
function toNotCreated(outcome: Busy | NotCreated): NotCreated {
  return outcome.kind === "busy" ? { kind: "not-created", reason: outcome.reason } : outcome
}

async function record(
  context: Context,
  work: Work,
  outcome: CallOutcome,
  call: ChannelCall,
): Promise<StepResult> {
  const { attempt } = work.head.task
  switch (outcome.kind) {
    case "accepted":
      return recordOutcome(context, work, toAccept(outcome.operation, call))
    case "unknown":
      return recordOutcome(context, work, { kind: "doubt", attempt, code: outcome.code })
    case "pending":
      return recordOutcome(context, work, { kind: "doubt", attempt, code: "still-admitted" })
    case "busy":
    case "not-created":
      // Proof that the repeat created nothing is none of what the first call did.
      if (!call.isRepeat) return settle(context, work, toNotCreated(outcome))
      return recordOutcome(context, work, { kind: "doubt", attempt, code: "repeat-not-created" })
    case "completed":
    case "refused":
      return settleAtOnce(context, work, outcome, call)
  }
}

/**
 * Records a result that came with the answer. While its outputs can't be kept they are tried again:
 * with an operation by asking for them again, without one here, until the task's end, which it has with those
 * that are there. Nobody else has them, so a mistake of ours, or of a host's storage, gives up no more than a
 * failure does.
 */
async function settleAtOnce(
  context: Context,
  work: Work,
  outcome: Completed | Refused,
  call: ChannelCall,
): Promise<StepResult> {
  const { clock, log, settings } = context
  const { attempt, endBy } = work.head.task
  const before = toAcceptance(outcome, call)
  const isUnkeyed = work.permit?.channel.submission.kind === "unkeyed"
  const isPast = (): boolean => clock.judgedNow() >= endBy
  // By a repeat of its key another process may have all of them.
  const isLast = (): boolean => isPast() || (isUnkeyed && work.ending.signal.aborted)
  for (let [tries, wasOver] = [1, false]; ; tries += 1) {
    try {
      return await settle(context, work, outcome, { before, isLast })
    } catch (error) {
      const fields = { task: work.id, error }
      log[isSafelightError(error) ? "warn" : "error"](fields, "collect failed")
    }
    if (before[0] !== undefined) return recordOutcome(context, work, before[0])
    await clock.wait(toBackoffMs(settings, tries), work.ending.signal)
    const isOver = work.ending.signal.aborted || isPast()
    const mayDeliver = !wasOver && isLast() && context.keptOutputs.findAnswer(work) !== undefined
    if (isOver && !mayDeliver) {
      // What the channel makes of a repeat decides what comes of it.
      return recordOutcome(context, work, { kind: "doubt", attempt, code: "collection-failed" })
    }
    wasOver = isOver
  }
}

/** An operation that came with its result is recorded together with it. */
function toAcceptance(outcome: SubmitOutcome, call: ChannelCall): TaskCommand[] {
  if (outcome.kind !== "completed" || outcome.operation === undefined) return []
  return [toAccept(outcome.operation, call)]
}

function toAccept(operation: Json, { request: { upstreamKey } }: ChannelCall): TaskCommand {
  return { kind: "accept", operation, upstreamKey }
}

async function recordOutcome(
  context: Context,
  work: Work,
  command: TaskCommand,
): Promise<StepResult> {
  await context.probe("outcome:before-append", work.id)
  const result = await recordFact(context, work, [command])
  await context.probe("outcome:after-append", work.id)
  return result
}
