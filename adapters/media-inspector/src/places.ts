/** Lets a bounded number in at once; the others wait in their order. */
export interface Places {
  /**
   * Resolves to the function that gives the place back, to be called once; when `signal` aborts it
   * resolves at once, with a place that is none.
   */
  enter(signal: AbortSignal): Promise<() => void>
}

export function createPlaces(places: number): Places {
  const waiting = new Set<() => void>()
  let free = places

  function leave(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }

  return {
    enter(signal) {
      if (signal.aborted) return Promise.resolve(() => {})
      if (free > 0) {
        free -= 1
        return Promise.resolve(leave)
      }
      return new Promise((resolve) => {
        const settle = (place: () => void): void => {
          waiting.delete(enter)
          signal.removeEventListener("abort", giveUp)
          resolve(place)
        }
        const enter = (): void => settle(leave)
        const giveUp = (): void => settle(() => {})
        waiting.add(enter)
        signal.addEventListener("abort", giveUp, { once: true })
      })
    },
  }
}
