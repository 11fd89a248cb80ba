/**
 * Which channels can express a request exactly. What one can't express it does not take: a request is
 * never changed to fit.
 */
import type { Channel, ChannelRequest, Ineligible } from "@safelight/core"
import { isRecord, toReason } from "./answer-parts.ts"

/** What a channel judges a task by. */
export type AskedFor = Pick<ChannelRequest, "model" | "parameters">

/** Why the channel does not take the request; undefined where it does. */
export function findIneligibility(channel: Channel, request: AskedFor): Ineligible | undefined {
  const verdict = channel.accepts?.(request) ?? true
  return verdict === true ? undefined : verdict
}

/** What a channel said, which may be anything: what says nothing is no consent. */
export function toVerdict(value: unknown): true | Ineligible {
  if (value === true) return true
  const { param, reason }: Partial<Record<keyof Ineligible, unknown>> = isRecord(value) ? value : {}
  const words = toReason(reason).replace(/\s+/g, " ")
  return {
    kind: "ineligible",
    reason: typeof reason === "string" ? words : "it does not say whether it takes the request",
    ...(typeof param === "string" && { param }),
  }
}
