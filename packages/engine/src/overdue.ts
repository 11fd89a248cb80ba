/**
 * The end of a task whose time is up: the channel is asked to stop, then the failure is recorded.
 * That the channel does not stop changes nothing.
 */
import type { StreamHead } from "@safelight/core"
import type { Context } from "./context.ts"
import { toPollRequest } from "./request.ts"
import type { Recorded, RecordOptions } from "./recorder.ts"
import { createWork } from "./work.ts"

export interface EndOptions extends Pick<RecordOptions, "maxTries"> {
  /** The moment the time-out is as of. */
  readonly now: number
  /** Cuts the call to the channel short, and ends the waiting for a storage that fails. */
  readonly signal?: AbortSignal
}

/**
 * Records the time-out of `head`; resolves to what became of it, rejects where the storage still
 * fails at the last try.
 */
export async function endOverdue(
  context: Context,
  head: StreamHead,
  options: EndOptions,
): Promise<Recorded> {
  if (head.task.state === "running") await cancel(context, head, options.signal)
  return context.recorder.recordFact(head, [{ kind: "time-out" }], options)
}

async function cancel(
  context: Context,
  head: StreamHead,
  ending: AbortSignal | undefined,
): Promise<void> {
  const { channels, clock, deadlines, log, settings } = context
  const channel = channels.find(({ name }) => name === head.task.dispatch?.channel)
  if (channel?.cancel === undefined) return
  const term = { claim: "", heldUntil: 0 }
  try {
    const request = await toPollRequest(context, createWork(head, term, clock, { slot: undefined }))
    await deadlines.run(settings.pollTimeoutMs, ending, async (signal) =>
      channel.cancel?.({ ...request, signal }),
    )
  } catch (error) {
    log.warn(
      { task: head.task.id, channel: channel.name, error },
      "an overdue task was not stopped",
    )
  }
}
