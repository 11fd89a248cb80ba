/**
 * How long a task waits between two polls: longer with each of them, and never in step with the tasks
 * that were taken on at the same moment. A callback cuts a pause short, though not below the shortest
 * that the channel allows: calling often causes no more polls.
 */
import type { Channel, Running } from "@safelight/core"
import type { Context } from "../host/context.ts"
import type { Work } from "./work.ts"

/** From poll to poll; two seconds are ten after four polls. */
const GROWTH = 1.5
/** What verified callbacks save: the callback tells the end, and polls make up for a lost one. */
const CALLED_BACK_FACTOR = 3
/** Pauses are up to this share longer than they must be. */
const SPREAD = 0.25
/** A step around the circle that comes near no place twice: (√5 − 1) / 2. */
const GOLDEN = 0.618_033_988_75
/** Of a channel that says nothing about it. */
const LEAST_MS = 1_000

export interface PollHistory {
  /** Polls that only showed that the work continues. */
  readonly polls: number
  readonly isCalledBack: boolean
}

/** After a poll that found the work going on, ms. */
export function toPollPauseMs(
  { pollEvery }: Channel,
  task: string,
  { pollAfterMs }: Running,
  { isCalledBack, polls }: PollHistory,
): number {
  if (pollEvery === undefined) return pollAfterMs
  const { longestMs, shortestMs } = pollEvery
  // The exponent is bounded, or a work of days would come to infinity.
  const firstMs = Math.max(shortestMs, pollAfterMs)
  const grownMs = Math.min(firstMs * GROWTH ** Math.min(polls, 64), longestMs)
  const ownMs = isCalledBack ? grownMs * CALLED_BACK_FACTOR : grownMs
  return spread(Math.max(ownMs, pollAfterMs), task, polls)
}

/** After a poll that failed: what the provider asked for, or what it is given to recover. */
export function toFailurePauseMs(
  { pollEvery }: Channel,
  task: string,
  pauseMs: number,
  failures: number,
): number {
  if (pollEvery === undefined) return pauseMs
  return spread(Math.max(pauseMs, pollEvery.shortestMs), task, failures)
}

/** By the task and the count alone, so that a run can be repeated. */
function spread(pauseMs: number, task: string, count: number): number {
  let phase = 0
  for (const character of task) {
    phase = (Math.imul(phase, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  }
  return Math.ceil(pauseMs * (1 + SPREAD * ((phase / 2 ** 32 + count * GOLDEN) % 1)))
}

/** Ends early where the work is called off; where it is woken, once the channel may be asked again. */
export async function pausePolls(
  { clock }: Pick<Context, "clock">,
  work: Work,
  { pollEvery }: Channel,
  pauseMs: number,
): Promise<void> {
  const { signal } = work.controller
  const leastMs = Math.min(pauseMs, pollEvery?.shortestMs ?? LEAST_MS)
  await clock.wait(leastMs, signal)
  if (signal.aborted || work.isWoken || leastMs === pauseMs) return
  const cut = new AbortController()
  const end = (): void => cut.abort("woken")
  work.wake = end
  signal.addEventListener("abort", end, { once: true })
  try {
    await clock.wait(pauseMs - leastMs, cut.signal)
  } finally {
    work.wake = undefined
    signal.removeEventListener("abort", end)
  }
}
