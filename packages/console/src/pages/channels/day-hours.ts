/** The last day of a channel by hours. The service leaves out hours in which nothing ended; a plot needs them. */
import type { Channel } from "@safelight/client"

export type Hour = Channel["hours"][number]

export type HourSums = Omit<Hour, "at" | "p50_ms" | "p95_ms">

const HOURS = 24
const HOUR_SECONDS = 3_600

const NOTHING: HourSums = {
  succeeded: 0,
  failed: 0,
  deferred: 0,
  charge_micros: 0,
  cost_micros: 0,
  unknown_costs: 0,
}

/** 24 hours or, if the service's clock is ahead of this one, a few more. */
export function fillHours(hours: readonly Hour[], nowMs: number): Hour[] {
  const known = new Map(hours.map((hour) => [hour.at, hour]))
  const current = Math.floor(nowMs / 1_000 / HOUR_SECONDS) * HOUR_SECONDS
  const first = current - (HOURS - 1) * HOUR_SECONDS
  const last = Math.max(current, ...known.keys())
  const count = Math.min((last - first) / HOUR_SECONDS + 1, 2 * HOURS)
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * HOUR_SECONDS
    return known.get(at) ?? { ...NOTHING, at, p50_ms: null, p95_ms: null }
  })
}

export function sumHours(hours: readonly Hour[]): HourSums {
  const sum = (name: keyof HourSums): number => hours.reduce((total, hour) => total + hour[name], 0)
  return {
    succeeded: sum("succeeded"),
    failed: sum("failed"),
    deferred: sum("deferred"),
    charge_micros: sum("charge_micros"),
    cost_micros: sum("cost_micros"),
    unknown_costs: sum("unknown_costs"),
  }
}
