/** What every benchmark does: so many callers at once, the time they took, the middle of several. */

/** Calls `call` `total` times from `callers` loops at once; resolves to calls per second. */
export async function ratePerSecond(
  total: number,
  callers: number,
  call: () => Promise<unknown>,
): Promise<number> {
  let left = total
  const loop = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await call()
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: callers }, loop))
  return (total / (performance.now() - startedAt)) * 1000
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** One result object on standard output, for the runner. */
export function report(figures: Readonly<Record<string, number>>): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}
