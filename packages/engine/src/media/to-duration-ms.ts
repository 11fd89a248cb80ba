/** A duration as an event can hold it, whoever measured it. */
import { MAX_USAGE } from "@safelight/core"

/** Whole milliseconds, rounded up; undefined where it is no duration, or longer than an event can hold. */
export function toDurationMs(value: unknown): number | undefined {
  const isDuration = typeof value === "number" && value >= 0 && value <= MAX_USAGE
  return isDuration ? Math.ceil(value) : undefined
}
