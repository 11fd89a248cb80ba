/**
 * How fast a body has to arrive. One that stands still or drips holds memory that others could use, up to
 * the time limit of the whole request. So all bodies that are arriving are checked every `bodyPaceMs`:
 *
 *   nothing arrived since the last check → 408; large and slower than `bodyBytesPerSecond` → 408
 *
 * One timer serves them all: most bodies are complete before a timer of their own could fire.
 */
import type { HttpSettings } from "../defaults.ts"
import { Refusal } from "../errors/refusal.ts"

export type BodyPaceSettings = Pick<
  HttpSettings,
  "bodyBytesPerSecond" | "bodyPaceMs" | "largeBodyBytes"
>

export interface PacedBody {
  /** How much of it has arrived. */
  readonly bytes: () => number
  readonly stop: (refusal: Refusal) => void
}

/**
 * Calls `stop` with a `Refusal` if the body is too slow, between one and two times `bodyPaceMs` after it
 * became so. Returns a function that ends the watch.
 */
export type WatchPace = (body: PacedBody) => () => void

export function createPaceWatch(settings: BodyPaceSettings): WatchPace {
  const { bodyPaceMs, bodyBytesPerSecond, largeBodyBytes } = settings
  const leastBytes = (bodyBytesPerSecond * bodyPaceMs) / 1_000
  /** With how much had arrived at the last check; undefined before the first. */
  const seenBytes = new Map<PacedBody, number | undefined>()
  let timer: ReturnType<typeof setInterval> | undefined

  function look(): void {
    if (seenBytes.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    for (const [body, before] of seenBytes) {
      const now = body.bytes()
      seenBytes.set(body, now)
      if (before === undefined) continue
      const came = now - before
      if (came === 0 || (now > largeBodyBytes && came < leastBytes)) body.stop(refusePace(settings))
    }
  }

  return (body) => {
    seenBytes.set(body, undefined)
    timer ??= startTimer(look, bodyPaceMs)
    return () => void seenBytes.delete(body)
  }
}

/** The connection of a body keeps the process alive; the timer need not. */
function startTimer(look: () => void, everyMs: number): ReturnType<typeof setInterval> {
  const timer = setInterval(look, everyMs)
  // Elsewhere than in Node a timer is a number.
  if (typeof timer === "object") timer.unref()
  return timer
}

function refusePace({ bodyPaceMs, bodyBytesPerSecond }: BodyPaceSettings): Refusal {
  return new Refusal("request_timeout", {
    message:
      `The request body came too slowly: nothing for ${bodyPaceMs} ms, or, being large, ` +
      `less than ${bodyBytesPerSecond} bytes a second.`,
    headers: { connection: "close" },
  })
}
