/** The sums of a period, and its days as a plot. */
import type { JSX } from "preact"
import { Facts } from "../../design/facts.tsx"
import { Failure } from "../../design/failure.tsx"
import { Cost, Margin, Money } from "../../design/money.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { loadDays, sumRows, type SpendingRow } from "./load-spending.ts"
import { SpendingPlot } from "./spending-plot.tsx"
import type { Spending } from "./spending-route.ts"
import "./spending-days.css"

export function SpendingDays({ spending }: { readonly spending: Spending }): JSX.Element {
  const client = useClient()
  const { state, reload } = useLoaded((signal) => loadDays(client, spending, signal), [client])
  const { value: days, error } = state.value
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {days === undefined ? error === undefined && <Waiting /> : <Sums days={days} />}
    </>
  )
}

function Sums({ days }: { readonly days: readonly SpendingRow[] }): JSX.Element {
  const sums = sumRows(days)
  const unknownCosts = sums.unknown_costs
  return (
    <div class="spending-sums">
      <Facts
        facts={[
          ["Charged", <Money micros={sums.charge_micros} />],
          ["Cost", <Cost micros={sums.cost_micros} unknownCosts={unknownCosts} />],
          ["Margin", <Margin micros={sums.margin_micros} unknownCosts={unknownCosts} />],
          ["Tasks", count.format(sums.tasks)],
          ["Failed", count.format(sums.failed)],
        ]}
      />
      <SpendingPlot days={days} />
    </div>
  )
}

const count = new Intl.NumberFormat()
