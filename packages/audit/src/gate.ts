/**
 * Lets a few works through at once, in the order in which they came. Once one has failed none begins
 * any more: whoever waits behind an outage must not meet it one after another.
 */

/** Resolves and rejects as `work` does; rejects with the first failure of any work before. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>

export function createGate(most: number): Gate {
  const waiting: (() => void)[] = []
  const failures: unknown[] = []
  let underWay = 0

  /** Whoever ends hands its place on, so that nobody overtakes. */
  async function enter(): Promise<void> {
    if (underWay === most) return new Promise((resolve) => waiting.push(resolve))
    underWay += 1
  }

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) underWay -= 1
    else next()
  }

  return async (work) => {
    await enter()
    try {
      if (failures.length > 0) throw failures[0]
      return await work()
    } catch (error) {
      failures.push(error)
      throw error
    } finally {
      leave()
    }
  }
}
