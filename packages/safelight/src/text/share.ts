/** Shares of a whole: as they are typed, `1%` or `0.01`, and for people. */

/** Above 0, and 1 at most; undefined if the text is no such share. A bare `1` may mean either, and is none. */
export function parseShare(text: string): number | undefined {
  const [, percent] = /^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(text) ?? []
  const isFraction = /^0?\.\d{1,12}$/.test(text)
  const share =
    percent === undefined ? Number(isFraction ? text : Number.NaN) : Number(percent) / 100
  return share > 0 && share <= 1 ? share : undefined
}

/** `1.2%` for 12 of 1,000; `100%` only for all of it, and also for nothing of nothing. */
export function formatShare(part: number, whole: number): string {
  if (part === whole) return "100%"
  const tenths = Math.min(999, Math.round((part / whole) * 1_000))
  return `${(tenths / 10).toFixed(1)}%`
}
