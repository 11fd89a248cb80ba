/**
 * The end of a task whose time is up: the channel is asked to stop, then the failure is recorded.
 * That the channel does not stop changes nothing.
 */
import type { StreamHead } from "@safelight/core"
import type { Context } from "./context.ts"
import { toPollRequest } from "./follow-step.ts"
import type { Recorded } from "./recorder.ts"
import { createWork } from "./work.ts"

/** Records the time-out of `head` as of `now`; resolves to what became of it. */
export async function endOverdue(
  context: Context,
  head: StreamHead,
  now: number,
): Promise<Recorded> {
  if (head.task.state === "running") await cancel(context, head)
  return context.recorder.recordFact(head, [{ kind: "time-out" }], { now })
}

async function cancel(context: Context, head: StreamHead): Promise<void> {
  const { channels, clock, deadlines, log, settings } = context
  const channel = channels.find(({ name }) => name === head.task.dispatch?.channel)
  if (channel?.cancel === undefined) return
  const term = { claim: "", heldUntil: 0 }
  try {
    const request = await toPollRequest(context, createWork(head, term, clock, { slot: undefined }))
    if (request === undefined) return
    await deadlines.run(settings.pollTimeoutMs, undefined, async (signal) =>
      channel.cancel?.({ ...request, signal }),
    )
  } catch (error) {
    log.warn(
      { task: head.task.id, channel: channel.name, error },
      "an overdue task was not stopped",
    )
  }
}
