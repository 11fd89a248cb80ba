/**
 * Asking a channel to stop work that its task takes no more. Nothing depends on the answer: the operator reads in
 * the log whether it may be billed all the same.
 */
import type { CancelOutcome, Channel, Json, PollRequest } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { toBarePollRequest, toPollRequest } from "./request.ts"
import type { Work } from "./work.ts"

/** A channel that does not answer must not hold a permit, a sweep or a stop. */
const CANCEL_MS = 5_000

/**
 * `operation` is the task's own by default. `unknown` where the channel can't stop work, fails, or doesn't
 * answer for five seconds. Never rejects: if the storage fails while the request is read, the channel is
 * asked without the parameters, since the operation alone names the work.
 */
export async function stopWork(
  context: Context,
  work: Work,
  channel: Channel,
  operation?: Json,
): Promise<CancelOutcome> {
  const request = await readRequest(context, work)
  const told = operation === undefined ? request : { ...request, operation }
  const { error, outcome } = await ask(context, work, channel, told)
  const fields = { task: work.id, channel: channel.name, operation: told.operation, outcome }
  const isQuiet = outcome === "stopped" || channel.isFree === true
  const known = error === undefined ? fields : { ...fields, error }
  // Too late or unknown: the work continues and may be billed.
  context.log[isQuiet ? "info" : "warn"](known, "cancel")
  return outcome
}

async function readRequest(context: Context, work: Work): Promise<PollRequest> {
  try {
    return await toPollRequest(context, work)
  } catch (error) {
    context.log.warn({ task: work.id, error }, "request not read")
    return toBarePollRequest(context, work)
  }
}

async function ask(
  { deadlines }: Context,
  { ending }: Work,
  channel: Channel,
  request: PollRequest,
): Promise<{ readonly outcome: CancelOutcome; readonly error?: unknown }> {
  if (channel.cancel === undefined) return { outcome: "unknown" }
  try {
    const outcome = await deadlines.run(
      CANCEL_MS,
      ending.signal,
      async (signal) => channel.cancel?.({ ...request, signal }) ?? "unknown",
    )
    return { outcome }
  } catch (error) {
    return { outcome: "unknown", error }
  }
}
