/**
 * Which channels can express a request exactly. What one can't express it does not take: a request is
 * never changed to fit.
 */
import type { Channel, ChannelRequest, Ineligible } from "@safelight/core"
import { isRecord, toReason } from "./answer-parts.ts"
import type { Context } from "./context.ts"
import { findParameters } from "./request.ts"
import type { Work } from "./work.ts"

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

/** `fal: resolution 1080p is not offered`, for the log and for people. */
export function explainIneligible(channel: Channel, { reason }: Ineligible): string {
  return `${channel.name}: ${reason}`
}

/** Why no channel of this process takes a task that waits; undefined where one may. */
export async function explainLack(context: Context, work: Work): Promise<string | undefined> {
  const { model, refusedBy, state } = work.head.task
  const isChoosy = refusedBy !== undefined || context.routing.isChoosy(model)
  if (state !== "queued" || !isChoosy) return undefined
  const parameters = await findParameters(context, work)
  if (parameters === undefined) return undefined
  const refusals = context.routing.findRefusals({ model, parameters }, refusedBy)
  if (refusals.length === 0) return undefined
  return refusals
    .map(({ channel, ineligible }) => explainIneligible(channel, ineligible))
    .join("; ")
}
