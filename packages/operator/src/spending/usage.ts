/** What all accounts were charged in a period, what it cost upstream, and the margin between the two. */
import type {
  ChannelOutcomes,
  OperatorUsage,
  OperatorUsageRow,
  OutcomeGroup,
  OutcomesRequest,
  Storage,
} from "@safelight/core"
import { toMarginMicros } from "./margin.ts"

/** Almost three years of days; accounts may be more. */
const MOST_ROWS = 1_000

export interface Usage extends OperatorUsage {
  /** By channel and model, in the order of the bytes of their names. */
  sumMargins(period: OutcomesRequest): Promise<readonly MarginRow[]>
}

export interface MarginRow extends Pick<
  ChannelOutcomes,
  | "channel"
  | "chargeMicros"
  | "computedMicros"
  | "failed"
  | "model"
  | "succeeded"
  | "toldMicros"
  | "unknown"
> {
  /** An upper bound if a cost is unknown. */
  readonly marginMicros: number
}

export function createUsage(storage: Pick<Storage, "groupOutcomes" | "sumOutcomes">): Usage {
  return {
    async sumUsage(request) {
      const groups = await storage.groupOutcomes({ ...request, limit: MOST_ROWS + 1 })
      const rows = groups.slice(0, MOST_ROWS).map(toRow)
      return { rows, hasMore: groups.length > MOST_ROWS }
    },
    async sumMargins(period) {
      const outcomes = await storage.sumOutcomes(period)
      return outcomes.map((each) => ({ ...each, marginMicros: toMarginMicros(each) }))
    },
  }
}

function toRow(group: OutcomeGroup): OperatorUsageRow {
  const { chargeMicros, computedMicros, failed, name, succeeded, toldMicros, unknown } = group
  return {
    name,
    succeeded,
    failed,
    chargeMicros,
    costMicros: toldMicros + computedMicros,
    unknownCosts: unknown,
    marginMicros: toMarginMicros(group),
  }
}
