/**
 * What becomes of an unfinished task once the database that has it is served: what the engine's steps would do, told
 * from the task and from what its channel makes of a repeat (design §5).
 */
import { honoursKey, isOverdue, type Channel, type Task } from "@safelight/core"

/** What a channel declares of a purchase that is in doubt. */
export interface PurchasingChannel extends Pick<Channel, "submission" | "submitTimeoutMs"> {
  /** Whether it can be asked what became of a key. */
  readonly canFind: boolean
}

/** By name. */
export type PurchasingChannels = ReadonlyMap<string, PurchasingChannel>

export const NEXT_STEPS = [
  /** Nothing is bought as far as it knows: a channel is asked. */
  "bought",
  /** The channel's operation is known, and asked about. */
  "followed",
  /** In doubt, and sent again under a key that the channel still honours. */
  "repeated",
  /** In doubt, and looked up by its key. */
  "lookedUp",
  /** In doubt at a channel that knows no keys, or no more: it is never sent again, and fails uncharged at its end. */
  "givenUp",
  /** Its end has passed: it fails at once, uncharged. */
  "ended",
  /** Its channel is not known, and so neither is what a repeat means. */
  "unclear",
] as const

export type NextStep = (typeof NEXT_STEPS)[number]

/** `task` is not finished. `now` is in milliseconds. */
export function toNextStep(task: Task, channels: PurchasingChannels, now: number): NextStep {
  if (isOverdue(task, now)) return "ended"
  const { dispatch, state } = task
  if (state === "queued" || dispatch === null) return "bought"
  const channel = channels.get(dispatch.channel)
  if (channel === undefined) return "unclear"
  return state === "running" ? "followed" : toWayOut(channel, dispatch.keyedAt, now)
}

/** Of a purchase in doubt whose key was first sent at `keyedAt`, ms. */
export function toWayOut(
  channel: PurchasingChannel,
  keyedAt: number,
  now: number,
): "givenUp" | "lookedUp" | "repeated" {
  const { kind } = channel.submission
  if (kind === "keyed" && honoursKey(channel, keyedAt, now)) return "repeated"
  return channel.canFind && kind !== "unkeyed" ? "lookedUp" : "givenUp"
}
