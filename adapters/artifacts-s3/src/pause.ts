/**
 * The waits between two tries: twice as long each time, and of that a random part, so that many who
 * were turned away together do not come back together.
 */
import type { S3Settings } from "./s3-options.ts"
import { createAborted } from "./storage-failure.ts"

/** Rejects with `aborted` on the signal. */
export type Pause = (attempt: number, signal?: AbortSignal) => Promise<void>

/** About what a request takes: less would only add to the load. */
const FIRST_PAUSE_MS = 200
/** Long enough for a bucket that scales up; the sum stays far below a task's time. */
const LONGEST_PAUSE_MS = 5_000

export function createPause({ clock, random }: Pick<S3Settings, "clock" | "random">): Pause {
  return async (attempt, signal) => {
    const longestMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
    await clock.wait(Math.ceil(random() * longestMs), signal)
    if (signal?.aborted === true) throw createAborted()
  }
}
