/** The period by what was chosen: the table, or why there is none. */
import type { JSX } from "preact"
import { Empty } from "../../design/empty.tsx"
import { Failure } from "../../design/failure.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { loadRows } from "./load-spending.ts"
import type { Spending } from "./spending-route.ts"
import { SpendingTable } from "./spending-table.tsx"

export function SpendingRows({ spending }: { readonly spending: Spending }): JSX.Element {
  const client = useClient()
  const { state, reload } = useLoaded((signal) => loadRows(client, spending, signal), [client])
  const { value: report, error } = state.value
  if (error !== undefined) return <Failure error={error} onRetry={reload} />
  if (report === undefined) return <Waiting />
  const { has_more: hasMore, rows } = report
  if (rows.length === 0) {
    return <Empty title="Nothing was spent">No channel has ended a task in this period.</Empty>
  }
  return (
    <>
      <SpendingTable spending={spending} rows={rows} />
      {spending.by === "day" && <p class="soft small">Days are of UTC.</p>}
      {hasMore && <p class="soft">Only the first {rows.length} are shown.</p>}
    </>
  )
}
