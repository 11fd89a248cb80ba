/**
 * Work under way at once, bounded by count and bytes: a storage commits what waits together, so an
 * import that waited for each task would pay a sync for every one of them.
 */
export interface InFlight {
  /** Begins `work` once there is room; rejects with the first failure of any work before. */
  begin(bytes: number, work: () => Promise<void>): Promise<void>
  /** Resolves once all of it is done; rejects with the first failure. */
  drain(): Promise<void>
  /** Resolves once nothing is under way any more, whatever came of it. */
  settle(): Promise<void>
}

/** As many as fill a commit. */
const MAX_COUNT = 256
/** One request of the largest size is let through alone. */
const MAX_BYTES = 16 * 1024 * 1024

export function createInFlight(): InFlight {
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  let bytesUnderWay = 0

  function hasRoom(bytes: number): boolean {
    if (underWay.size === 0) return true
    return underWay.size < MAX_COUNT && bytesUnderWay + bytes <= MAX_BYTES
  }

  async function run(bytes: number, work: () => Promise<void>): Promise<void> {
    bytesUnderWay += bytes
    try {
      await work()
    } catch (error) {
      failures.push(error)
    } finally {
      bytesUnderWay -= bytes
    }
  }

  return {
    async begin(bytes, work) {
      while (!hasRoom(bytes)) await Promise.race(underWay)
      if (failures.length > 0) throw failures[0]
      const running = run(bytes, work).finally(() => underWay.delete(running))
      underWay.add(running)
    },
    settle: async () => void (await Promise.all(underWay)),
    async drain() {
      await Promise.all(underWay)
      if (failures.length > 0) throw failures[0]
    },
  }
}
