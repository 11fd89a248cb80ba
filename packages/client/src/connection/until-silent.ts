/**
 * Bounds a wait for the network by a time limit and the caller's signal. It does not rely on `fetch` or the
 * body to react to a signal: one that never settles is abandoned.
 */
import { clientError } from "./api-error.ts"
import type { ClientClock } from "./clock.ts"

export interface Patience {
  readonly clock: ClientClock
  readonly silenceMs: number
  readonly signal: AbortSignal | undefined
}

/** Settles as `work` does. Rejects with `no_answer` after `silenceMs`, or with the signal's reason. */
export async function untilSilent<Value>(
  work: Promise<Value>,
  { clock, silenceMs, signal }: Patience,
): Promise<Value> {
  const over = new AbortController()
  const silence = clock.wait(silenceMs, over.signal).then(() => {
    throw clientError("no_answer", `the service was silent for ${silenceMs} ms`, {
      isRetryable: true,
    })
  })
  const called = new Promise<never>((_, reject) => {
    signal?.throwIfAborted()
    const stop = (): void => reject(signal?.reason as Error)
    signal?.addEventListener("abort", stop, { once: true, signal: over.signal })
  })
  // The losers of the race may reject later, and nobody else handles that.
  for (const each of [work, silence, called]) each.catch(() => {})
  try {
    return await Promise.race([called, work, silence])
  } finally {
    // Without a reason each abort would make an exception with a stack.
    over.abort("over")
  }
}
