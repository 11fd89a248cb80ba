/**
 * Resolving a doubt: a call was made, or may have been, and its outcome is unknown. What may be
 * done depends on what the channel makes of a repeat (design §5). Whatever can't be resolved rests
 * until `endBy`, is then failed and not charged.
 */
import type { Channel } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { giveBackAll } from "./give-back.ts"
import { dispatchAgain, isKeyAlive } from "./dispatch-step.ts"
import { isOutside } from "./follow-step.ts"
import { recordFact } from "./record-fact.ts"
import { toFindRequest, toRequest } from "./request.ts"
import type { ChannelPermit } from "../scheduling/routing.ts"
import { toBackoffMs, toSendWithinMs } from "../host/settings.ts"
import { advance, isHeld, type StepResult, type Work } from "./work.ts"

/** A task found in `dispatching` under another lease: the process that called is gone, and so is its answer. */
export async function recordLostCall(context: Context, work: Work): Promise<StepResult> {
  const { attempt } = work.head.task
  const command = { kind: "doubt", attempt, code: "caller-lost" } as const
  return recordFact(context, work, [command])
}

/** Repeats, asks, or lets rest. */
export async function resolveDoubt(
  context: Context,
  work: Work,
  permit: ChannelPermit,
): Promise<StepResult> {
  switch (wayOut(work, permit, context.clock.now())) {
    case "repeat":
      return repeat(context, work, permit)
    case "look-up":
      return lookUp(context, work, permit)
    case "rest":
      return rest(context, work)
  }
}

function wayOut(work: Work, permit: ChannelPermit, now: number): "repeat" | "look-up" | "rest" {
  const { submission } = permit.channel
  const canAsk = permit.channel.find !== undefined
  const { attempt, maxAttempts } = work.head.task
  const isAlive = submission.kind === "keyed" && isKeyAlive(permit, work, now)
  // Repeating buys nothing, so it continues as long as it may; a channel that can be asked is asked
  // once repeats have brought no answer.
  if (isAlive && (!canAsk || attempt < maxAttempts)) return "repeat"
  return canAsk && submission.kind !== "unkeyed" ? "look-up" : "rest"
}

/** The very same key again: the channel answers with the same operation. */
async function repeat(context: Context, work: Work, permit: ChannelPermit): Promise<StepResult> {
  const key = work.head.task.dispatch?.upstreamKey ?? ""
  const isErased = (await toRequest(context, work, key)) === undefined
  if (!isErased) return dispatchAgain(context, work, permit, key)
  // Without its parameters the call can't be made again. What it bought is known to a channel that can be asked.
  return permit.channel.find === undefined ? rest(context, work) : lookUp(context, work, permit)
}

/**
 * Asks whether the key exists, once no earlier request can still be on its way, and what it made is listed. A call
 * begins while its lease holds, and its request then leaves within `sendWithinMs`: so all of this, the longest request
 * and the lag of the list are waited for by this process's own clock, once. A channel that fails is asked again
 * after a growing pause.
 */
async function lookUp(context: Context, work: Work, permit: ChannelPermit): Promise<StepResult> {
  const { clock, log, settings } = context
  const { channel } = permit
  const { submission } = channel
  const longestMs =
    submission.kind === "lookup"
      ? submission.longestRequestMs + (submission.listLagMs ?? 0)
      : channel.submitTimeoutMs
  const sentMs = settings.leaseMs + toSendWithinMs(channel)
  const safeAt = work.takenAt + sentMs + longestMs
  await clock.wait(Math.max(0, safeAt - clock.monotonicNow()), work.controller.signal)
  for (let failures = 1; ; failures += 1) {
    if (!isHeld(clock, work)) return "leave"
    const leftMs = work.head.task.endBy - clock.judgedNow()
    if (leftMs <= 0) return "next"
    try {
      return await askForKey(context, work, channel)
    } catch (error) {
      if (work.controller.signal.aborted || !isOutside(error)) throw error
      log.warn({ task: work.id, channel: channel.name, error }, "lookup failed")
      const pauseMs = error.retryAfterMs ?? toBackoffMs(settings, failures)
      await clock.wait(Math.min(pauseMs, leftMs), work.controller.signal)
    }
  }
}

async function askForKey(context: Context, work: Work, channel: Channel): Promise<StepResult> {
  const { clock, deadlines, settings, recorder } = context
  const { attempt, dispatch: sent } = work.head.task
  const request = toFindRequest(context, work, sent?.upstreamKey ?? "")
  // The call outlives its task's end: what was bought for a task that has ended is stopped, and named in the log.
  const found = await deadlines.run(settings.pollTimeoutMs, work.ending.signal, (bound) =>
    Promise.resolve(channel.find?.({ ...request, signal: bound })),
  )
  if (found === undefined) return rest(context, work)
  if (found !== null) {
    const { upstreamKey } = request
    const command = { kind: "accept", operation: found.operation, upstreamKey } as const
    return recordFact(context, work, [command])
  }
  if (!isHeld(clock, work)) return "leave"
  // Given up where the task has moved on: what was adopted meanwhile must not be bought again.
  const command = { kind: "defer", attempt, reason: "not-found", retryAt: clock.now() } as const
  return advance(work, await recorder.recordIntent(work.head, command))
}

async function rest(context: Context, work: Work): Promise<StepResult> {
  const { clock } = context
  const { endBy } = work.head.task
  // By a clock that has jumped past its end it would be due at once, and again, until the jump is accepted.
  const leftMs = endBy - clock.judgedNow()
  work.isReleased = true
  await giveBackAll(context, [work], Math.max(endBy, clock.now() + leftMs))
  return "leave"
}
