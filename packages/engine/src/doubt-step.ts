/**
 * Resolving a doubt: a call was made, or may have been, and its outcome is unknown. What may be
 * done depends on what the channel makes of a repeat (design §5). Whatever can't be resolved rests
 * until `endBy`, is then failed and not charged.
 */
import type { Channel, Task } from "@safelight/core"
import type { Context } from "./context.ts"
import { dispatch } from "./dispatch-step.ts"
import { toRequest } from "./request.ts"
import type { Slot } from "./routing.ts"
import { advance, type StepResult, type Work } from "./work.ts"

/** A task found in `dispatching` under a new claim: whoever called is gone, and so is its answer. */
export async function recordLostCall(context: Context, work: Work): Promise<StepResult> {
  const { attempt } = work.head.task
  const command = { kind: "doubt", attempt, code: "caller-lost" } as const
  return advance(work, await context.recorder.recordFact(work.head, [command]))
}

/** Repeats, asks, or lets rest. */
export async function resolveDoubt(context: Context, work: Work, slot: Slot): Promise<StepResult> {
  switch (waysOut(slot.channel, work.head.task, context.clock.now())) {
    case "repeat":
      return repeat(context, work, slot)
    case "look-up":
      return lookUp(context, work, slot)
    case "rest":
      return rest(context, work)
  }
}

function waysOut(channel: Channel, task: Task, now: number): "repeat" | "look-up" | "rest" {
  const { submission } = channel
  const keyedAt = task.dispatch?.keyedAt ?? 0
  if (submission.kind === "keyed" && now < keyedAt + submission.keyTtlMs) {
    return task.attempt < task.maxAttempts ? "repeat" : "rest"
  }
  return channel.find === undefined || submission.kind === "unkeyed" ? "rest" : "look-up"
}

/** The very same key again: the channel answers with the same operation. */
async function repeat(context: Context, work: Work, slot: Slot): Promise<StepResult> {
  return dispatch(context, work, slot, work.head.task.dispatch?.upstreamKey)
}

/**
 * Asks whether the key exists, once no earlier request can still be on its way: the claim it was
 * sent under and the longest request have passed on this process's own clock.
 */
async function lookUp(context: Context, work: Work, slot: Slot): Promise<StepResult> {
  const { clock, settings, recorder } = context
  const { submission } = slot.channel
  const longestMs =
    submission.kind === "lookup" ? submission.longestRequestMs : slot.channel.submitTimeoutMs
  const safeAt = work.takenAt + settings.claimMs + longestMs
  await clock.wait(Math.max(0, safeAt - clock.monotonicNow()), work.controller.signal)
  if (work.controller.signal.aborted) return "leave"
  const { attempt, dispatch: sent } = work.head.task
  const request = await toRequest(context, work, sent?.upstreamKey ?? "")
  if (request === undefined || slot.channel.find === undefined) return rest(context, work)
  const found = await slot.channel.find(request)
  const command =
    found === null
      ? ({ kind: "defer", attempt, reason: "not-found", retryAt: clock.now() } as const)
      : ({ kind: "accept", operation: found.operation } as const)
  return advance(work, await recorder.recordFact(work.head, [command]))
}

async function rest({ storage }: Context, work: Work): Promise<StepResult> {
  const { endBy } = work.head.task
  await storage.release({ claim: work.claim, tasks: [work.id], dueAt: endBy })
  return "leave"
}
