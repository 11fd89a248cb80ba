/**
 * Following an operation to its end: asked again and again, from whichever process holds the task,
 * until the channel has completed or refused it. A poll that fails proves nothing and is repeated;
 * progress is recorded in a few steps only. Its parameters may have been erased meanwhile: what was
 * bought is followed all the same, by its operation.
 */
import { isSafelightError, type Running, type SafelightError } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { settle } from "./outcome.ts"
import { pausePolls, toFailurePauseMs, toPollPauseMs } from "./poll-pause.ts"
import { pollChannel } from "./poll-channel.ts"
import { toPollRequest } from "./request.ts"
import { toBackoffMs } from "../host/settings.ts"
import { advance, isHeld, type StepResult, type Work } from "./work.ts"
import type { ChannelPermit } from "../scheduling/routing.ts"

/** Polls until the task ends, its time is up (`next`), or the work is taken away (`leave`). */
export async function follow(
  context: Context,
  work: Work,
  permit: ChannelPermit,
): Promise<StepResult> {
  const { callbacks, clock, settings } = context
  const { channel } = permit
  const isCalledBack = callbacks.isReachable && channel.hasVerifiedCallbacks === true
  for (let [polls, failures] = [0, 0]; ;) {
    if (!isHeld(clock, work)) return "leave"
    if (clock.judgedNow() >= work.head.task.endBy) return "next"
    try {
      work.isWoken = false
      const result = await ask(context, work, permit)
      if (typeof result === "string") return result
      failures = 0
      const pauseMs = toPollPauseMs(channel, work.id, result, { isCalledBack, polls })
      polls += 1
      context.tracer.active()?.set({ "safelight.polls": polls })
      await pausePolls(context, work, channel, toRest(context, work, pauseMs))
    } catch (error) {
      if (work.controller.signal.aborted) return "leave"
      failures += 1
      if (!isOutside(error)) throw error
      context.log.warn({ task: work.id, channel: channel.name, error }, "poll failed")
      const dueMs = error.retryAfterMs ?? toBackoffMs(settings, failures)
      // What a provider asked for is not cut short by a callback.
      const pauseMs = toFailurePauseMs(channel, work.id, dueMs, failures)
      await clock.wait(toRest(context, work, pauseMs), work.controller.signal)
    }
  }
}

/** Never past the task's end. */
function toRest({ clock }: Context, work: Work, pauseMs: number): number {
  return Math.min(pauseMs, Math.max(0, work.head.task.endBy - clock.judgedNow()))
}

async function ask(
  context: Context,
  work: Work,
  permit: ChannelPermit,
): Promise<StepResult | Running> {
  const request = await toPollRequest(context, work)
  const leftMs = Math.max(0, work.head.task.endBy - context.clock.judgedNow())
  const outcome = await pollChannel(context, permit.channel, request, {
    boundMs: Math.min(context.settings.pollTimeoutMs, leftMs),
    signal: work.controller.signal,
  })
  await context.probe("follow:after-poll", work.id)
  if (outcome.kind !== "running") return settle(context, work, outcome)
  if (!isHeld(context.clock, work)) return "leave"
  return (await recordProgress(context, work, outcome)) === "leave" ? "leave" : outcome
}

async function recordProgress(
  context: Context,
  work: Work,
  { progress = 0 }: Running,
): Promise<StepResult> {
  const { attempt, progress: recorded } = work.head.task
  const step = Math.min(99, Math.floor(progress))
  if (step < recorded + context.settings.progressStep) return "next"
  const command = { kind: "progress", attempt, progress: step } as const
  return advance(work, await context.recorder.recordIntent(work.head, command))
}

/** Whether the outside failed, and may answer when it is asked again. */
export function isOutside(error: unknown): error is SafelightError {
  return isSafelightError(error) && error.code !== "version-conflict"
}
