/**
 * What becomes of a purchase of the original once a copy that lacks its outcome is served. The copy asks under the keys
 * that the original used, so a channel that knows them buys nothing twice.
 */
import type { Task } from "@safelight/core"
import type { Purchase } from "./list-purchases.ts"
import { toWayOut, type NextStep, type PurchasingChannels } from "./next-step.ts"

export const FATES = [
  /** The copy does not know of it, asks again, and it is paid for twice. */
  "boughtTwice",
  /** The copy comes upon it: by its operation, its key or by looking it up. */
  "foundAgain",
  /** The copy's task fails uncharged without ever asking for it: it was paid for in vain. */
  "abandoned",
  /** The copy has never heard of its task. */
  "forgotten",
  /** Its channel is not known. */
  "unclear",
] as const

export type Fate = (typeof FATES)[number]

export interface CopiedTask {
  /** Not finished. */
  readonly task: Task
  readonly next: NextStep
  /** The key whose outcome it waits for, if it waits for one. */
  readonly openKey: string | undefined
}

export function judgePurchase(
  { askedAt, channel: name, upstreamKey }: Purchase,
  { next, openKey, task }: CopiedTask,
  channels: PurchasingChannels,
  now: number,
): Fate {
  if (next === "ended" || next === "givenUp") return "abandoned"
  const channel = channels.get(name)
  if (channel === undefined || next === "unclear") return "unclear"
  // It is followed, sent again or looked up.
  if (upstreamKey === openKey) return "foundAgain"
  // A new purchase goes out under the next number (`ChannelRequest.upstreamKey`).
  if (upstreamKey !== `${task.id}.${task.attempt + 1}`) return "boughtTwice"
  const way = toWayOut(channel, askedAt, now)
  if (way === "repeated") return "foundAgain"
  // The first key of a task that has waited is looked up before anything is sent.
  const isLookedUp = way === "lookedUp" && channel.submission.kind === "lookup"
  return isLookedUp && task.attempt === 0 ? "foundAgain" : "boughtTwice"
}
