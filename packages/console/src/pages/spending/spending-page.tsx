/** Who spent what, for an operator: all accounts, by day, model, channel or account, and one account by the same. */
import type { JSX } from "preact"
import { PageHead } from "../../design/page-head.tsx"
import { route } from "../../router/route.ts"
import { Chosen, Groupings, Period } from "./spending-choices.tsx"
import { SpendingDays } from "./spending-days.tsx"
import { SpendingRows } from "./spending-rows.tsx"
import { GROUPINGS, readSpending, toSpendingHref } from "./spending-route.ts"

export function Page(): JSX.Element {
  const spending = readSpending(route.value.query)
  const { account, by } = spending
  // Another choice is another component: figures of the one before are never shown under its name.
  const choice = toSpendingHref(spending)
  const daysChoice = toSpendingHref({ ...spending, by: "day" })
  return (
    <div class="stack">
      <PageHead title="Spending">
        <Period spending={spending} />
      </PageHead>
      {account !== undefined && <Chosen spending={spending} account={account} />}
      <section class="card" aria-label="In all">
        <SpendingDays key={daysChoice} spending={spending} />
      </section>
      <section class="card stack" aria-labelledby="rows">
        <div class="line spread">
          <h2 id="rows">By {GROUPINGS[by].toLowerCase()}</h2>
          <Groupings spending={spending} />
        </div>
        <SpendingRows key={choice} spending={spending} />
      </section>
    </div>
  )
}
