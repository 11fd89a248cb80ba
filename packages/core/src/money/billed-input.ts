/** How much of a task's input videos is billed (specification §8, billing rules). */

export const VIDEO_BILLING = {
  /** An edit's main input counts as 4 s when shorter (specification §8). */
  shortestMainInputMs: 4_000,
  /** Inputs are processed for at most 30 s in total (specification §8). */
  longestInputMs: 30_000,
} as const

/** Milliseconds of input that are billed: the first video is the main input. */
export function billedInputMs(inputVideosMs: readonly number[]): number {
  const [main, ...others] = inputVideosMs
  if (main === undefined) return 0
  const mainMs = Math.max(main, VIDEO_BILLING.shortestMainInputMs)
  const totalMs = others.reduce((total, each) => total + each, mainMs)
  return Math.min(totalMs, VIDEO_BILLING.longestInputMs)
}
