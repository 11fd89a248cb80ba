/**
 * A body that ends with `aborted` as soon as a signal says so, even while the body itself hangs.
 * No promise outlives its chunk, as one raced against the signal would: nothing retains a chunk.
 */
import type { AbortSignalLike } from "@safelight/core"
import { createAborted } from "./storage-failure.ts"

export async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignalLike | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (signal === undefined) {
    yield* body
    return
  }
  throwIfAborted(signal)
  const iterator = body[Symbol.asyncIterator]()
  let stop = ignore
  let isOpen = true
  const onAbort = (): void => stop(createAborted())
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
      throwIfAborted(signal)
    }
  } finally {
    signal.removeEventListener("abort", onAbort)
    if (isOpen) await release(iterator, signal)
  }
}

export function throwIfAborted(signal: AbortSignalLike | undefined): void {
  if (signal?.aborted === true) throw createAborted()
}

/** An aborted body may hang, and what it still has to say nobody waits for. */
async function release(iterator: AsyncIterator<unknown>, signal: AbortSignalLike): Promise<void> {
  const released = iterator.return?.()
  if (signal.aborted) released?.catch(ignore)
  else await released
}

function ignore(_error?: unknown): void {}
