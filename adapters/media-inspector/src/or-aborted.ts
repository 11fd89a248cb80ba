/** What a signal cuts short is no longer waited for, also where it does not obey the signal itself. */
import { aborted } from "./media-fault.ts"

/** As `work`, or rejects with `aborted` once `signal` aborts. */
export function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(aborted())
    const settle = (): void => signal.removeEventListener("abort", stop)
    signal.addEventListener("abort", stop, { once: true })
    work.then(resolve, reject).finally(settle)
    if (signal.aborted) stop()
  })
}
