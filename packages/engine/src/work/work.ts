/**
 * One task in this process's hands: its newest state, the lease it is held under, the permit of
 * the channel it may use. Steps take a piece of work and leave it changed, or let it go.
 */
import type { Clock, ParameterValues, StreamHead } from "@safelight/core"
import type { Lease } from "../ownership/worker-lease.ts"
import type { MeasuredVideo } from "../record/measured-input.ts"
import type { Recorded } from "../record/recorder.ts"
import type { Permit } from "../scheduling/permits.ts"
import type { ChannelPermit } from "../scheduling/routing.ts"

/** Why `controller` of a `Work` aborts where this process has ended the task. */
export const ENDED_HERE = "ended here"

export type HeldUnder = Pick<Lease, "heldUntil" | "id">

export interface Work {
  readonly id: string
  head: StreamHead
  /** What it is held under: past its moment, the task may be another process's. */
  readonly lease: HeldUnder
  /** When this process took the task, on the monotonic clock. */
  readonly takenAt: number
  /** Of the channel that it may use; undefined while its videos are measured. */
  permit: ChannelPermit | undefined
  /** Of its account's. */
  accountPermit: Permit | undefined
  /** Whether the task was given back: the driver has ended or is about to. */
  isReleased: boolean
  /** Aborts when the task is not held any more or the engine stops. */
  readonly controller: AbortController
  /**
   * Aborts when the engine stops, and then alone: what was bought is written down also by a process
   * that has lost its lease.
   */
  readonly ending: AbortController
  /** What the channel will answer to the purchase, while that is waited for. */
  call: Promise<unknown> | undefined
  /** Ends the pause before the next poll; set while there is one. */
  wake: (() => void) | undefined
  /** The channel has completed the work: its result is being stored and recorded. */
  isCollecting: boolean
  /** Somebody has asked for a poll since the last one began. */
  isWoken: boolean
  /** By position, since when an output has been of no use each time it was asked for; on the monotonic clock. */
  readonly unusableSince: Map<number, number>
  /** In memory where the task was submitted here; else read from the inputs when needed. */
  parameters: ParameterValues | undefined
  /** Of the span that submitted it here; else read from the inputs when needed. */
  readonly traceparent: string | undefined
  /** The videos that it refers to, as measured here, or read from the inputs when needed. */
  measured: readonly MeasuredVideo[] | undefined
}

/** What a task needs to begin; neither is needed to end one. */
export interface Permits {
  readonly permit?: ChannelPermit
  readonly accountPermit?: Permit
}

/** What a step leads to: continue with the next one, or leave the task as it is. */
export type StepResult = "next" | "leave"

export function createWork(
  head: StreamHead,
  lease: HeldUnder,
  clock: Clock,
  more: Permits & Partial<Pick<Work, "parameters" | "traceparent">> = {},
): Work {
  return {
    id: head.task.id,
    head,
    lease,
    takenAt: clock.monotonicNow(),
    permit: more.permit,
    accountPermit: more.accountPermit,
    isReleased: false,
    controller: new AbortController(),
    ending: new AbortController(),
    call: undefined,
    wake: undefined,
    isCollecting: false,
    isWoken: false,
    unusableSince: new Map(),
    parameters: more.parameters,
    traceparent: more.traceparent,
    measured: undefined,
  }
}

/**
 * Takes over what was recorded. An append that gave the task back ends this process's part: queued
 * again, in doubt, adopted from doubt, finished. So does a refusal or another's change, after which
 * the task may still be held and has to be given back.
 */
export function advance(work: Work, recorded: Recorded): StepResult {
  if (recorded.kind !== "recorded") return "leave"
  work.head = recorded.head
  work.isReleased ||= !recorded.isKept
  return recorded.isKept ? "next" : "leave"
}

/** Whether the work is still this process's: the task was not lost, and the lease may not have expired. */
export function isHeld(clock: Clock, { controller, lease }: Work): boolean {
  return !controller.signal.aborted && clock.monotonicNow() < lease.heldUntil
}
