/**
 * Work under way at once, bounded by weight, in the order in which it came. After a failure no more work
 * begins: otherwise each piece that waits would run into the same outage.
 */
import { createSemaphore } from "@safelight/core"

type Work<Result> = () => Promise<Result>

export interface WorkPool {
  /** Settles as `work` does; rejects with the first failure of any work before. */
  run<Result>(work: Work<Result>): Promise<Result>
  /** Resolves once `work` has begun; rejects with the first failure of any work before. */
  begin(work: Work<void>, weight?: number): Promise<void>
  /** Resolves once all of it is done; rejects with the first failure. */
  drain(): Promise<void>
  /** Resolves once nothing is under way any more, whatever came of it. */
  settle(): Promise<void>
}

/** Work that is heavier than all permits goes alone. */
export function createWorkPool(permits: number): WorkPool {
  const semaphore = createSemaphore({ permits, name: "works" })
  const failures: unknown[] = []

  function assertNoneFailed(): void {
    if (failures.length > 0) throw failures[0]
  }

  async function run<Result>(work: Work<Result>, begun?: () => void, weight = 1): Promise<Result> {
    return semaphore.run(
      async () => {
        assertNoneFailed()
        begun?.()
        try {
          return await work()
        } catch (error) {
          failures.push(error)
          throw error
        }
      },
      { weight },
    )
  }

  const settle = (): Promise<void> => semaphore.run(async () => {}, { weight: permits })

  return {
    run: (work) => run(work),
    // Once the work has begun, its failure is what the next call rejects with.
    begin: (work, weight) =>
      new Promise((resolve, reject) => void run(work, resolve, weight).catch(reject)),
    async drain() {
      await settle()
      assertNoneFailed()
    },
    settle,
  }
}
