/**
 * Bounds how many downloads are open at once; the others wait, first come first served. A place is
 * held until its holder leaves, however long the reader of the body takes.
 */
export interface ConnectionGate {
  /** Resolves to the way out, to be taken once; rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>
}

export function createConnectionGate(places: number): ConnectionGate {
  let free = places
  const waiting = new Set<() => void>()

  function leave(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }

  return {
    async enter(signal) {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else await waitForPlace(waiting, signal)
      return leave
    },
  }
}

function waitForPlace(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    function admit(): void {
      waiting.delete(admit)
      resolve()
    }
    function giveUp(): void {
      waiting.delete(admit)
      reject(signal.reason)
    }
    waiting.add(admit)
    signal.addEventListener("abort", giveUp, { once: true })
  })
}
