/**
 * How fast a body has to come. One that stands still or drips holds memory that others could use,
 * up to the time limit of the whole request; so it is looked at again and again:
 *
 *   each `bodyPaceMs`: nothing came → 408; it is large and slower than `bodyBytesPerSecond` → 408
 */
import type { HttpSettings } from "../defaults.ts"
import { Refusal } from "../errors/refusal.ts"

export type BodyPaceSettings = Pick<
  HttpSettings,
  "bodyBytesPerSecond" | "bodyPaceMs" | "largeBodyBytes"
>

/** Calls `stop` with a `Refusal` where the body is too slow; returns what ends the watch. */
export function watchPace(
  settings: BodyPaceSettings,
  heldBytes: () => number,
  stop: (refusal: Refusal) => void,
): () => void {
  const { bodyPaceMs, bodyBytesPerSecond, largeBodyBytes } = settings
  const leastBytes = (bodyBytesPerSecond * bodyPaceMs) / 1_000
  let before = 0

  const timer = setInterval(() => {
    const now = heldBytes()
    const came = now - before
    before = now
    if (came === 0 || (now > largeBodyBytes && came < leastBytes)) stop(refusePace(settings))
  }, bodyPaceMs)
  return () => {
    clearInterval(timer)
  }
}

function refusePace({ bodyPaceMs, bodyBytesPerSecond }: BodyPaceSettings): Refusal {
  return new Refusal("request_timeout", {
    message:
      `The request body came too slowly: nothing for ${bodyPaceMs} ms, or, being large, ` +
      `less than ${bodyBytesPerSecond} bytes a second.`,
    headers: { connection: "close" },
  })
}
