/**
 * The end of a task whose time is up. A running one is asked for a last time, since its result may
 * be ready: a clock that was set, a downtime or a slow bucket must not throw away what was bought.
 * Where there is none, the channel is asked to stop, and the failure is recorded; that the channel
 * does not stop changes nothing.
 */
import {
  isSafelightError,
  type Channel,
  type Completed,
  type Refused,
  type Task,
  type StreamHead,
  type TaskCommand,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import { settle, toProviderInput } from "./outcome.ts"
import { discardKept } from "../media/kept-outputs.ts"
import { isOfOutput } from "../media/open-output.ts"
import type { RecordOptions } from "../record/recorder.ts"
import { pollChannel } from "./poll-channel.ts"
import { toPollRequest } from "./request.ts"
import { canSettle } from "../record/settlement.ts"
import { stopWork } from "./stop-work.ts"
import { createWork, type Work } from "./work.ts"

export interface EndOptions extends Pick<RecordOptions, "inputs" | "maxTries"> {
  /** The moment the time-out is as of. */
  readonly now: number
}

/**
 * `left`: nothing was recorded. Others may do it, or the channel can tell later; another process has done
 * it, or a row is damaged.
 */
export type Ended = "timed-out" | "settled" | "left"

/**
 * How long after its end a task is left to a process that holds it or can settle it, which may just be
 * storing the result, to a channel that fails when it is asked, and to outputs that lack where others are
 * stored. A holder that is gone loses its lease long before; this is for where nobody works at all.
 */
export const LEFT_TO_OTHERS_MS = 600_000

/** How long after its end a task is kept open for a result that is ready and can't be stored. */
const STORE_MS = 3_600_000

/** Each call to the channel: one that doesn't answer must not delay a sweep. */
const CALL_MS = 5_000

/** The work on a task that no lease is needed for. */
export function toUnheld({ clock }: Context, head: StreamHead): Work {
  return createWork(head, { id: "", heldUntil: 0 }, clock)
}

/**
 * Ends `work`. Rejects where the storage still fails at the last try, or where a result that is
 * ready can't be stored or charged and there is time left to try again.
 */
export async function endOverdue(
  context: Context,
  work: Work,
  options: EndOptions,
): Promise<Ended> {
  const { task } = work.head
  const { dispatch, endBy, operation, state } = task
  if (state !== "running") return recordEnd(context, work, { kind: "time-out" }, options)
  const channel = context.channels.find(({ name }) => name === dispatch?.channel)
  const canWait = options.now < endBy + LEFT_TO_OTHERS_MS
  const result =
    channel !== undefined && (await isSettledHere(context, task))
      ? await askLast(context, work, channel)
      : "unknown"
  if (typeof result === "object") return settleLate(context, work, result, options)
  if (result === "unknown") {
    if (canWait) return "left"
    context.log.error(
      { task: task.id, channel: dispatch?.channel, operation },
      "purchase abandoned",
    )
  }
  const late = channel && (await stopLate(context, work, channel))
  const known = late ?? context.keptOutputs.findAnswer(work)
  if (known !== undefined) return settleLate(context, work, known, options)
  return recordEnd(context, work, { kind: "time-out" }, options)
}

async function isSettledHere(context: Context, task: Task): Promise<boolean> {
  await context.taskModels.find(task)
  return canSettle(context, task)
}

async function recordEnd(
  context: Context,
  work: Work,
  command: TaskCommand,
  { now, ...more }: EndOptions,
): Promise<Ended> {
  const { signal } = work.ending
  const options = { now, signal, ...more }
  const recorded = await context.recorder.recordFact(work.head, [command], options)
  if (recorded.kind !== "recorded") return "left"
  await discardKept(context, work)
  work.head = recorded.head
  work.isReleased ||= !recorded.isKept
  return "timed-out"
}

/**
 * The channel's result, if it has one now; `none` where it says that it has not, or is quiet, and
 * `unknown` where it fails. Rejects where the storage does.
 */
async function askLast(
  context: Context,
  work: Work,
  channel: Channel,
): Promise<Completed | Refused | "none" | "unknown"> {
  const request = await toPollRequest(context, work)
  const bound = { boundMs: CALL_MS, signal: work.ending.signal }
  try {
    const outcome = await pollChannel(context, channel, request, bound)
    return outcome.kind === "completed" || outcome.kind === "refused" ? outcome : "none"
  } catch (error) {
    const fields = { task: work.id, channel: channel.name, error }
    context.log.warn(fields, "last poll failed")
    return "unknown"
  }
}

/** Asks the channel to stop; the result, where that came too late because there is one now. */
async function stopLate(
  context: Context,
  work: Work,
  channel: Channel,
): Promise<Completed | Refused | undefined> {
  if ((await stopWork(context, work, channel)) !== "too-late") return undefined
  if (!(await isSettledHere(context, work.head.task))) return undefined
  const result = await askLast(context, work, channel)
  return typeof result === "object" ? result : undefined
}

async function settleLate(
  context: Context,
  work: Work,
  result: Completed | Refused,
  options: EndOptions,
): Promise<Ended> {
  const { attempt, dispatch, endBy, operation } = work.head.task
  const isLast = (): boolean => options.now >= endBy + LEFT_TO_OTHERS_MS
  try {
    await settle(context, work, result, { isLast })
    return "settled"
  } catch (error) {
    // Past the hour whatever it is: a mistake of ours, or of a host's model, would keep it open for ever.
    if (options.now < endBy + STORE_MS) throw error
    context.log.error(
      { task: work.id, channel: dispatch?.channel, operation, error },
      "purchase abandoned",
    )
    const inputs = await toProviderInput(context, work, toWords(error))
    const failure = { kind: "fail", attempt, ...toFailure(error) } as const
    return recordEnd(context, work, failure, { ...options, inputs })
  }
}

/**
 * The host of an output is not ours to publish: it is kept next to the log, for an operator who looks for what was
 * paid.
 */
function toWords(error: unknown): Pick<Refused, "providerWords"> {
  const host = isSafelightError(error) ? error.refusedHost : undefined
  if (host === undefined) return {}
  return { providerWords: `Its output lies at ${host}, which its channel may not ask.` }
}

/** Whose failure it is: the provider's, whose output can't be had, or ours. */
function toFailure(
  error: unknown,
): Pick<Extract<TaskCommand, { kind: "fail" }>, "code" | "message"> {
  return isSafelightError(error) && isOfOutput(error)
    ? { code: "no_output", message: "The provider's output could not be fetched." }
    : { code: "internal_error", message: "The result could not be stored." }
}
