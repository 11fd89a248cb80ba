/** What all accounts were charged in a period and what it cost upstream, by day, model, channel or account. */
import type { OperatorUsage, OutcomeGroup, OperatorUsageRow, Storage } from "@safelight/core"
import { toMarginMicros } from "../margin.ts"

/** Almost three years of days; accounts may be more. */
const MOST_ROWS = 1_000

export function createOperatorUsage(storage: Pick<Storage, "groupOutcomes">): OperatorUsage {
  return {
    async sumUsage(request) {
      const groups = await storage.groupOutcomes({ ...request, limit: MOST_ROWS + 1 })
      const rows = groups.slice(0, MOST_ROWS).map(toRow)
      return { rows, hasMore: groups.length > MOST_ROWS }
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
