/**
 * What was charged and what it cost upstream, by channel and model. A margin leaves unknown costs out, so it is an
 * upper bound if there are any.
 */
import type { ChannelOutcomes } from "@safelight/core"
import { toUnits } from "./amount.ts"
import { toMarginMicros } from "./margin.ts"
import { toTable } from "./table.ts"

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

export function toMarginReport(outcomes: readonly ChannelOutcomes[]): MarginReport {
  const channels = outcomes.map((each): MarginRecord => ({
    channel: each.channel,
    model: each.model,
    succeeded: each.succeeded,
    failed: each.failed,
    charge_micros: each.chargeMicros,
    told_micros: each.toldMicros,
    computed_micros: each.computedMicros,
    unknown: each.unknown,
    margin_micros: toMarginMicros(each),
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

export function toMarginText({ channels, total }: MarginReport): string {
  const rows = channels.map((record) => [record.channel, record.model, ...toCells(record)])
  const table = toTable(
    [["CHANNEL", "MODEL", ...HEAD], ...rows, ["total", "", ...toCells(total)]],
    {
      numeric: [2, 3, 4, 5, 6, 7, 8],
    },
  )
  if (total.unknown === 0) return table
  const attempts = `${total.unknown} attempt${total.unknown === 1 ? "" : "s"}`
  return `${table}\nwhat ${attempts} cost is not known, so the margin is at most what is shown\n`
}

function toCells(sum: MarginSum): readonly string[] {
  return [
    String(sum.succeeded),
    String(sum.failed),
    toUnits(sum.charge_micros),
    toUnits(sum.told_micros),
    toUnits(sum.computed_micros),
    String(sum.unknown),
    toUnits(sum.margin_micros),
  ]
}
