/**
 * A body that ends as soon as a signal aborts, even while the body itself hangs. No promise outlives
 * its chunk, as one raced against the signal would: nothing retains a chunk.
 */
import type { AbortSignalLike } from "./ports/clock.ts"

/** The chunks of `body`; rejects with what `toReason` gives once `signal` aborts. */
export async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignalLike,
  toReason: () => unknown,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (signal.aborted) throw toReason()
  const iterator = body[Symbol.asyncIterator]()
  let stop: (reason: unknown) => void = ignore
  let isOpen = true
  const onAbort = (): void => stop(toReason())
  signal.addEventListener("abort", onAbort, { once: true })
  try {
    for (;;) {
      const result = await new Promise<IteratorResult<Uint8Array, unknown>>((resolve, reject) => {
        stop = reject
        iterator.next().then(resolve, (error: unknown) => {
          isOpen = false
          reject(error)
        })
      })
      if (result.done === true) {
        isOpen = false
        return
      }
      yield result.value
      if (signal.aborted) throw toReason()
    }
  } finally {
    signal.removeEventListener("abort", onAbort)
    if (isOpen) await release(iterator, signal)
  }
}

/** An aborted body may hang, and what it still has to say nobody waits for. */
async function release(iterator: AsyncIterator<unknown>, signal: AbortSignalLike): Promise<void> {
  const released = iterator.return?.()
  if (signal.aborted) released?.catch(ignore)
  else await released
}

function ignore(_error?: unknown): void {}
