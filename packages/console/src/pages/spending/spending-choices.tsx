/** What the reader chooses on the spending page. Every choice is in the address, so that it can be kept and passed on. */
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Choice } from "../../design/choice.tsx"
import { goTo } from "../../router/route.ts"
import {
  GROUPINGS,
  PERIODS,
  toSpendingHref,
  type Grouping,
  type Spending,
} from "./spending-route.ts"
import "./spending-choices.css"

export function Period({ spending }: { readonly spending: Spending }): JSX.Element {
  return (
    <Choice
      label="Period"
      value={String(spending.days)}
      options={PERIODS.map((days) => [String(days), `The last ${days} days`])}
      onChoose={(days) => goTo(toSpendingHref({ ...spending, days: Number(days) }))}
    />
  )
}

export interface ChosenProps {
  readonly spending: Spending
  readonly account: string
}

export function Chosen({ spending, account }: ChosenProps): JSX.Element {
  return (
    <div class="line">
      <span>
        Only the account{" "}
        <strong>
          <bdi>{account}</bdi>
        </strong>
      </span>
      <Button
        look="quiet"
        icon="close"
        href={toSpendingHref({ ...spending, by: "account", account: undefined })}
      >
        All accounts
      </Button>
    </div>
  )
}

export function Groupings({ spending }: { readonly spending: Spending }): JSX.Element {
  const groupings = Object.keys(GROUPINGS) as Grouping[]
  return (
    <nav aria-label="What the rows are">
      <ul class="groupings">
        {groupings.map((by) => (
          <li key={by}>
            <a
              href={toSpendingHref({ ...spending, by })}
              aria-current={by === spending.by ? "true" : undefined}
            >
              {GROUPINGS[by]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
