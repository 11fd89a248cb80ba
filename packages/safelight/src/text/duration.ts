/** Durations as they are typed: a whole number and one unit, as in `90s`, `15m`, `24h`, `14d`. */
import { SETTING_BOUNDS } from "@safelight/core"

const UNITS_MS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
}

/** Ten years. */
export const LONGEST_MS = SETTING_BOUNDS.maxDurationMs

/** Milliseconds; undefined if the text is no duration. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (UNITS_MS[unit] ?? 0)
}

/** In the largest unit that divides it. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return "0s"
  const [name, unitMs] = Object.entries(UNITS_MS).find(([, each]) => durationMs % each === 0) ?? []
  return unitMs === undefined ? `${durationMs}ms` : `${durationMs / unitMs}${name}`
}
