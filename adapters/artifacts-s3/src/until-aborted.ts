/**
 * A body that ends with a signal's reason as soon as it aborts, even while the body itself hangs. No
 * promise outlives its chunk, as one raced against the signal would: nothing retains a chunk.
 */
export async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  signal.throwIfAborted()
  const iterator = body[Symbol.asyncIterator]()
  let stop: (reason: unknown) => void = ignore
  let isOpen = true
  const onAbort = (): void => stop(signal.reason)
  signal.addEventListener("abort", onAbort, { once: true })
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- a body is asked for one chunk at a time
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
      signal.throwIfAborted()
    }
  } finally {
    signal.removeEventListener("abort", onAbort)
    if (isOpen) await release(iterator, signal)
  }
}

/** An aborted body may hang, and what it still has to say nobody waits for. */
async function release(iterator: AsyncIterator<unknown>, signal: AbortSignal): Promise<void> {
  const released = iterator.return?.()
  if (signal.aborted) released?.catch(ignore)
  else await released
}

function ignore(_value?: unknown): void {}
