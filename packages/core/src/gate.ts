/**
 * A line before work of which only so much may be done at a time. Whoever comes first goes first,
 * and a piece that is heavier than the limit goes alone rather than never.
 */
import { SafelightError } from "./safelight-error.ts"

export interface Gate {
  /**
   * Calls `work` once `weight` fits beside what is being done; settles as it does. Rejects with
   * `overloaded`, without calling it, where too many wait.
   */
  pass<Result>(weight: number, work: () => Promise<Result>): Promise<Result>
}

export interface GateOptions {
  /** Of all weights at a time. */
  readonly limit: number
  /** How many may wait. */
  readonly mostWaiting: number
  /** What is refused, for the log. */
  readonly name: string
}

export function createGate({ limit, mostWaiting, name }: GateOptions): Gate {
  const waiting: { readonly weight: number; readonly enter: () => void }[] = []
  let inside = 0

  function fits(weight: number): boolean {
    return inside === 0 || inside + weight <= limit
  }

  async function enter(weight: number): Promise<void> {
    if (waiting.length === 0 && fits(weight)) {
      inside += weight
      return
    }
    if (waiting.length >= mostWaiting) throw overloaded(name)
    await new Promise<void>((resolve) => waiting.push({ weight, enter: resolve }))
  }

  function leave(weight: number): void {
    inside -= weight
    for (let next = waiting[0]; next !== undefined && fits(next.weight); next = waiting[0]) {
      waiting.shift()
      inside += next.weight
      next.enter()
    }
  }

  return {
    async pass(weight, work) {
      await enter(weight)
      try {
        return await work()
      } finally {
        leave(weight)
      }
    },
  }
}

function overloaded(name: string): SafelightError {
  return new SafelightError({
    code: "overloaded",
    message: `too many ${name} wait`,
    retryable: true,
  })
}
