/**
 * One task in this process's hands: its newest state, the claim it is held under, the slot of the
 * channel it may use. Steps take a piece of work and leave it changed, or let it go.
 */
import type { Clock, ParameterValues, StreamHead } from "@safelight/core"
import type { Recorded } from "./recorder.ts"
import type { Slot } from "./routing.ts"

export interface Work {
  readonly id: string
  head: StreamHead
  /** The id of the claim it is held under. */
  claim: string
  /** On the monotonic clock: past it, the claim may be somebody else's. */
  heldUntil: number
  /** When this process took the task, on the monotonic clock. */
  readonly takenAt: number
  slot: Slot | undefined
  /** Whether the claim was given back: the driver has ended or is about to. */
  isReleased: boolean
  /** Aborts when the claim is lost or the engine stops. */
  readonly controller: AbortController
  /**
   * Aborts when the engine stops, and then alone: what was bought is written down also by a process
   * that has lost its claim.
   */
  readonly ending: AbortController
  /** What the channel will answer to the purchase, while that is waited for. */
  call: Promise<unknown> | undefined
  /** Since when its output has been of no use, each time it was asked for; on the monotonic clock. */
  unusableSince: number | undefined
  /** In memory where the task was submitted here; else read from the inputs when needed. */
  parameters: ParameterValues | undefined
}

/** What a step leads to: go on with the next one, or leave the task as it is. */
export type StepResult = "next" | "leave"

export function createWork(
  head: StreamHead,
  term: { readonly claim: string; readonly heldUntil: number },
  clock: Clock,
  more: { readonly slot: Slot | undefined; readonly parameters?: ParameterValues },
): Work {
  return {
    id: head.task.id,
    head,
    claim: term.claim,
    heldUntil: term.heldUntil,
    takenAt: clock.monotonicNow(),
    slot: more.slot,
    isReleased: false,
    controller: new AbortController(),
    ending: new AbortController(),
    call: undefined,
    unusableSince: undefined,
    parameters: more.parameters,
  }
}

/**
 * Takes over what was recorded. An append that gave the claim back ends this process's part: queued
 * again, in doubt, adopted from doubt, finished. So does a refusal or another's change, after which
 * the claim may still be held and has to be given back.
 */
export function advance(work: Work, recorded: Recorded): StepResult {
  if (recorded.kind !== "recorded") return "leave"
  work.head = recorded.head
  work.isReleased ||= !recorded.isClaimKept
  return recorded.isClaimKept ? "next" : "leave"
}

/** Whether the work is still this process's: the claim was not lost, and may not have been voided. */
export function isHeld(clock: Clock, { controller, heldUntil }: Work): boolean {
  return !controller.signal.aborted && clock.monotonicNow() < heldUntil
}
