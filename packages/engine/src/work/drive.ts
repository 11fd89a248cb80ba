/**
 * The life of a task in this process's hands: one step after another by the state it is in, until
 * it ends or is let go. Every step can be the first: after a crash another process begins wherever
 * the log stands.
 *
 *   queued → dispatch      dispatching → record the lost call      doubtful → resolve
 *   running → follow       past its time → time out                finished → leave
 */
import { isOverdue, isSafelightError, isTerminal } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { dispatchFirst } from "./dispatch-step.ts"
import { recordLostCall, resolveDoubt } from "./doubt-step.ts"
import { follow } from "./follow-step.ts"
import { endOverdue } from "./overdue.ts"
import { giveBackAll } from "./give-back.ts"
import { discardKept } from "../media/kept-outputs.ts"
import { discardEnded } from "../media/video-copies.ts"
import { toBackoffMs } from "../host/settings.ts"
import { stopWork } from "./stop-work.ts"
import { ENDED_HERE, isHeld, type StepResult, type Work } from "./work.ts"

/** Drives `work` as far as this process can. Never rejects: a failed step lets the task go. */
export async function drive(context: Context, work: Work): Promise<void> {
  try {
    while ((await step(context, work)) === "next");
    if (work.isReleased || work.ending.signal.aborted) return
    // Another's change or a lost lease; or the storage has forgotten that this process has the task.
    await context.recorder.recover(work.head, work.ending.signal)
    if (!work.controller.signal.aborted) {
      await giveBack(context, work, context.settings.backoffMs)
    }
    await stopCancelled(context, work)
  } catch (error) {
    await letGo(context, work, error)
  } finally {
    // The process that follows it next fetches them again.
    if (work.controller.signal.aborted) await discardKept(context, work)
    await discardEnded(context, work)
  }
}

/**
 * Asks the channel to stop what is followed no more, as another process has cancelled the task: who did so
 * by hand had no channel to ask.
 */
async function stopCancelled(context: Context, work: Work): Promise<void> {
  const { dispatch, state } = work.head.task
  const { aborted, reason } = work.controller.signal
  if (state !== "running" || (aborted && reason === ENDED_HERE)) return
  const channel = context.channels.find(({ name }) => name === dispatch?.channel)
  const found = await context.storage.readTask(work.id)
  if (found?.task.error?.code !== "task_cancelled" || channel === undefined) return
  await stopWork(context, work, channel)
}

async function step(context: Context, work: Work): Promise<StepResult> {
  if (!isHeld(context.clock, work)) return "leave"
  const { task } = work.head
  const now = context.clock.judgedNow()
  if (isOverdue(task, now) && !isTerminal(task)) {
    const ended = await endOverdue(context, work, { now })
    if (ended === "left") await giveBack(context, work, context.settings.backoffMaxMs)
    return "leave"
  }
  switch (task.state) {
    case "queued":
      return dispatchFirst(context, work)
    case "dispatching":
      return recordLostCall(context, work)
    case "doubtful":
      return resolveDoubt(context, work, requirePermit(work))
    case "running":
      return follow(context, work, requirePermit(work))
    case "nothing":
    case "succeeded.available":
    case "succeeded.expired":
    case "failed":
      return "leave"
  }
}

function requirePermit(work: Work): NonNullable<Work["permit"]> {
  if (work.permit === undefined) throw new TypeError(`no channel for ${work.head.task.model}`)
  return work.permit
}

/** Somebody else moved the task, or it could not be carried on in time: it is looked at afresh. */
async function giveBack(context: Context, work: Work, pauseMs: number): Promise<void> {
  work.isReleased = true
  await giveBackAll(context, [work], context.clock.now() + pauseMs)
}

/**
 * A step failed: the outside (storage, artifacts, channel) or we are wrong. The task goes back to
 * the queue after a pause.
 */
async function letGo(context: Context, work: Work, error: unknown): Promise<void> {
  const { clock, log, settings } = context
  const isOutside = isSafelightError(error)
  log[isOutside ? "warn" : "error"]({ task: work.id, error }, "step failed")
  work.isReleased = true
  const { task } = work.head
  // Past its end a task is tried again for an hour where its result can't be stored.
  const isLate = isOverdue(task, clock.judgedNow())
  const pauseMs = isOutside && !isLate ? toBackoffMs(settings, task.attempt) : settings.backoffMaxMs
  try {
    await giveBackAll(context, [work], clock.now() + pauseMs)
  } catch (failure) {
    log.error({ task: work.id, error: failure }, "task not released")
  }
}
