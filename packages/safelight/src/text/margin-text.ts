/**
 * What was charged and what it cost upstream, by channel and model. A margin leaves unknown costs out, so it is an
 * upper bound if there are any.
 */
import type { MarginRow } from "@safelight/operator"
import { formatUnits } from "./amount.ts"
import { formatCount } from "./count.ts"
import { formatTable } from "./table.ts"

interface MarginSum {
  readonly succeeded: number
  readonly failed: number
  readonly charge_micros: number
  /** US dollars, as reported by providers. */
  readonly told_micros: number
  /** US dollars, by unit prices of the configuration. */
  readonly computed_micros: number
  /** Attempts that were billed, or may have been, and whose cost is unknown. */
  readonly unknown: number
  readonly margin_micros: number
}

export interface MarginRecord extends MarginSum {
  readonly channel: string
  readonly model: string
}

export interface MarginReport {
  readonly channels: readonly MarginRecord[]
  readonly total: MarginSum
}

export function toMarginReport(rows: readonly MarginRow[]): MarginReport {
  const channels = rows.map((row) => ({
    channel: row.channel,
    model: row.model,
    succeeded: row.succeeded,
    failed: row.failed,
    charge_micros: row.chargeMicros,
    told_micros: row.toldMicros,
    computed_micros: row.computedMicros,
    unknown: row.unknown,
    margin_micros: row.marginMicros,
  }))
  const sum = (field: keyof MarginSum): number =>
    channels.reduce((total, record) => total + record[field], 0)
  return {
    channels,
    total: {
      succeeded: sum("succeeded"),
      failed: sum("failed"),
      charge_micros: sum("charge_micros"),
      told_micros: sum("told_micros"),
      computed_micros: sum("computed_micros"),
      unknown: sum("unknown"),
      margin_micros: sum("margin_micros"),
    },
  }
}

const HEAD = ["SUCCEEDED", "FAILED", "CHARGED", "COST TOLD", "COST COMPUTED", "UNKNOWN", "MARGIN"]

export function formatMargin({ channels, total }: MarginReport): string {
  const rows = channels.map((record) => [record.channel, record.model, ...toCells(record)])
  const table = formatTable(
    [["CHANNEL", "MODEL", ...HEAD], ...rows, ["total", "", ...toCells(total)]],
    {
      numeric: [2, 3, 4, 5, 6, 7, 8],
    },
  )
  if (total.unknown === 0) return table
  const attempts = formatCount(total.unknown, "attempt")
  return `${table}\nwhat ${attempts} cost is not known, so the margin is at most what is shown\n`
}

function toCells(sum: MarginSum): readonly string[] {
  return [
    String(sum.succeeded),
    String(sum.failed),
    formatUnits(sum.charge_micros),
    formatUnits(sum.told_micros),
    formatUnits(sum.computed_micros),
    String(sum.unknown),
    formatUnits(sum.margin_micros),
  ]
}
