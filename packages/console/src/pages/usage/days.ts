/** The last days in the reader's own time zone, oldest first. A day may have 23 or 25 hours. */

export interface Day {
  /** Unix seconds, inclusive. */
  readonly from: number
  /** Unix seconds, exclusive. */
  readonly to: number
}

export function toDays(now: Date, count: number): Day[] {
  const startOf = (daysAgo: number): number =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime() / 1000
  return Array.from({ length: count }, (_, index) => {
    const daysAgo = count - 1 - index
    return { from: startOf(daysAgo), to: startOf(daysAgo - 1) }
  })
}
