/**
 * Waiting for the end of a task. A task that this process ends is announced at once; one that another process
 * ends is found by polling the storage.
 */
import {
  isTerminal,
  SafelightError,
  type AbortSignalLike,
  type StreamHead,
  type Task,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import type { Dispatcher } from "../scheduling/dispatcher.ts"

/** All that wait in this process look at the same moments, so that the storage reads their tasks together. */
function untilLook({
  clock,
  settings: { idlePollMs },
}: Pick<Context, "clock" | "settings">): number {
  return Math.ceil(idlePollMs - (clock.monotonicNow() % idlePollMs))
}

interface Look {
  readonly head: StreamHead | undefined
}

/** The finished task; undefined for an unknown one. Rejects with `aborted` on the signal. */
export async function waitUntilFinished(
  context: Context,
  dispatcher: Dispatcher,
  id: string,
  signal: AbortSignalLike | undefined,
): Promise<Task | undefined> {
  const { clock, recorder, storage } = context
  const ended = new AbortController()
  let finished: Task | undefined
  const end = (): void => ended.abort("ended")
  const stopListening = recorder.onFinished(id, (task) => {
    finished = task
    end()
  })
  signal?.addEventListener("abort", end)
  try {
    // A caller that aborts does not wait for a storage that hangs.
    const over = new Promise<void>((resolve) => {
      ended.signal.addEventListener("abort", () => resolve())
    })
    const look = async (): Promise<Look> => ({ head: await storage.readTask(id) })
    for (;;) {
      if (finished !== undefined) return finished
      if (signal?.aborted === true) {
        throw new SafelightError({ code: "aborted", message: "the waiting was called off" })
      }
      if (!dispatcher.worksOn(id)) {
        const found = await Promise.race([look(), over])
        if (found === undefined) continue
        const { head } = found
        if (head === undefined || isTerminal(head.task)) return head?.task
      }
      await clock.wait(untilLook(context), ended.signal)
    }
  } finally {
    stopListening()
    signal?.removeEventListener("abort", end)
  }
}
