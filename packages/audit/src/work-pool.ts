/**
 * A few works at once, in the order in which they came. Once one has failed none begins any more: whoever
 * waits behind an outage must not meet it one after another.
 */
import { createSemaphore } from "@safelight/core"

/** Resolves and rejects as `work` does; rejects with the first failure of any work before. */
export type FailFast = <Result>(work: () => Promise<Result>) => Promise<Result>

export function createFailFast(permits: number): FailFast {
  const semaphore = createSemaphore({ permits, name: "works" })
  const failures: unknown[] = []
  return (work) =>
    semaphore.run(async () => {
      if (failures.length > 0) throw failures[0]
      try {
        return await work()
      } catch (error) {
        failures.push(error)
        throw error
      }
    })
}
