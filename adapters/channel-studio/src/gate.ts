/** Lets a bounded number through at once, the others in order of arrival. */
import type { AbortSignalLike } from "@safelight/core"

export interface Gate {
  /**
   * Resolves once there is room, to the function that gives the place back; at once when `signal`
   * aborts, with a place that is none. Calling it twice is safe.
   */
  enter(signal: AbortSignalLike): Promise<() => void>
}

export function createGate(places: number): Gate {
  let free = places
  const waiting: (() => void)[] = []

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  function toPlace(): () => void {
    let isHeld = true
    return () => {
      if (isHeld) leave()
      isHeld = false
    }
  }

  return {
    enter(signal) {
      if (signal.aborted) return Promise.resolve(() => {})
      if (free > 0) {
        free -= 1
        return Promise.resolve(toPlace())
      }
      return new Promise((resolve) => {
        function enter(): void {
          signal.removeEventListener("abort", giveUp)
          resolve(toPlace())
        }
        function giveUp(): void {
          waiting.splice(waiting.indexOf(enter), 1)
          resolve(() => {})
        }
        waiting.push(enter)
        signal.addEventListener("abort", giveUp, { once: true })
      })
    },
  }
}
