/**
 * A bound on silence that needs nobody's help: a `fetch` that ignores its signal, or a body that never
 * goes on, is left alone and not waited for.
 */
import { clientError } from "../api-error.ts"
import type { ClientClock } from "../clock.ts"

export interface Patience {
  readonly clock: ClientClock
  readonly silenceMs: number
  readonly signal: AbortSignal | undefined
}

/** As `work` ends. Rejects with `no_answer` after `silenceMs`, and with the signal's reason. */
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
  // Those that lose the race are over, whichever way.
  for (const each of [work, silence, called]) each.catch(() => {})
  try {
    return await Promise.race([called, work, silence])
  } finally {
    over.abort()
  }
}
