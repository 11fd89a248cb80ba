/** A bound on what goes on at once; who finds no place waits, in the order of arrival. */
export interface Places {
  readonly use: <Result>(work: () => Promise<Result>) => Promise<Result>
}

export function createPlaces(count: number): Places {
  const waiting: (() => void)[] = []
  let free = count

  async function take(): Promise<void> {
    if (free > 0) {
      free -= 1
      return
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  /** A place goes straight to the next in line. */
  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  return {
    async use(work) {
      await take()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
