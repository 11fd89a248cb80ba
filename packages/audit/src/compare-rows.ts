/**
 * The live rows of a task, compared field by field with those that its events make. A finding names the event that
 * made the row, and none for a row that no event made.
 */
import { toChargeRow, toOutcomeRows, type OutcomeRow, type TaskEvent } from "@safelight/core"
import { compareTaskRow, type FoldedStream } from "./compare-task-row.ts"
import { toFact, type Fact, type Facts } from "./finding.ts"
import { listDiffering } from "./list-differing.ts"
import type { Ledger } from "./report.ts"

export function compareRows(folded: FoldedStream, ledger: Ledger): void {
  const { stream, events, task } = folded
  const { find } = ledger
  const finish = 1 + events.findIndex(({ type }) => type === "succeeded" || type === "failed")
  compareTaskRow(folded, ledger)
  compareEach(stream.id, toList(toChargeRow(task)), toList(stream.charge), {
    // One at most: a row that names another task differs in that.
    toId: () => stream.id,
    toVersion: () => finish,
    toFact: ({ chargeMicros }) => chargeMicros,
    findRow: (what, _row, facts) => find({ kind: `charge-row-${what}`, ...facts }),
    findField: (_row, facts) => find({ kind: "charge-row-differs", ...facts }),
  })
  compareEach(stream.id, toOutcomeRows(task, events), stream.outcomes, {
    toId: ({ attempt }) => attempt,
    toVersion: (row) => toOutcomeVersion(row, events),
    toFact: ({ costMicros }) => costMicros,
    findRow: (what, { attempt }, facts) => find({ kind: `outcome-${what}`, attempt, ...facts }),
    findField: ({ attempt }, facts) => find({ kind: "outcome-differs", attempt, ...facts }),
  })
}

function toList<Row>(row: Row | undefined): readonly Row[] {
  return row === undefined ? [] : [row]
}

/** The event that ended the attempt. */
function toOutcomeVersion({ attempt, outcome }: OutcomeRow, events: readonly TaskEvent[]): number {
  const asked = events.findIndex(
    ({ data, type }) => type === "dispatched" && data.attempt === attempt,
  )
  return 1 + events.findIndex(({ type }, index) => index > asked && type === outcome)
}

interface PlacedFacts extends Facts {
  readonly task: string
  readonly version: number | null
}

interface Comparison<Row> {
  /** What a row of the log and a live one have in common. */
  readonly toId: (row: Row) => string | number
  /** The event that made the row. */
  readonly toVersion: (row: Row) => number
  /** What a finding says of a whole row. */
  readonly toFact: (row: Row) => Fact
  readonly findRow: (what: "missing" | "orphaned", row: Row, facts: PlacedFacts) => void
  readonly findField: (row: Row, facts: PlacedFacts & { readonly field: string }) => void
}

function compareEach<Row extends object>(
  task: string,
  expected: readonly Row[],
  found: readonly Row[],
  comparison: Comparison<Row>,
): void {
  // Nearly half of all tables have no row of a task.
  if (expected.length + found.length === 0) return
  const { toId, findField, findRow } = comparison
  const live = new Map(found.map((row) => [toId(row), row]))
  for (const row of expected) {
    const place = { task, version: comparison.toVersion(row) }
    const other = live.get(toId(row))
    live.delete(toId(row))
    if (other === undefined) {
      findRow("missing", row, { ...place, expected: comparison.toFact(row), found: null })
      continue
    }
    for (const field of listDiffering(row, other)) {
      const facts = { expected: toFact(row[field]), found: toFact(other[field]) }
      findField(row, { ...place, field, ...facts })
    }
  }
  for (const row of live.values()) {
    const facts = { expected: null, found: comparison.toFact(row) }
    findRow("orphaned", row, { task, version: null, ...facts })
  }
}
