/** Who or what spent: rows with a bar each. An account leads to its own days, a channel to its page. */
import type { JSX } from "preact"
import { Cost, Margin, Money } from "../../design/money.tsx"
import { PlainTable } from "../../design/plain-table.tsx"
import { toHref } from "../../router/route.ts"
import type { SpendingRow } from "./load-spending.ts"
import { GROUPINGS, toSpendingHref, type Spending } from "./spending-route.ts"
import "./spending-table.css"

export interface SpendingTableProps {
  readonly spending: Spending
  readonly rows: readonly SpendingRow[]
}

const count = new Intl.NumberFormat()
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" })

export function SpendingTable({ spending, rows }: SpendingTableProps): JSX.Element {
  const most = Math.max(1, ...rows.map(({ charge_micros: micros }) => micros))
  // The newest day is the one that is looked for; others come with the most first.
  const shown = spending.by === "day" ? rows.toReversed() : rows
  const title = GROUPINGS[spending.by]
  return (
    <PlainTable
      label={`Spending by ${title.toLowerCase()}`}
      titles={[title, "Charged", "Cost", "Margin", "Tasks", "Failed"]}
      rows={shown.map((row) => ({
        id: row.name,
        cells: [
          <RowName spending={spending} name={row.name} />,
          <Charged micros={row.charge_micros} most={most} />,
          <Cost micros={row.cost_micros} unknownCosts={row.unknown_costs} />,
          <Margin micros={row.margin_micros} unknownCosts={row.unknown_costs} />,
          count.format(row.tasks),
          count.format(row.failed),
        ],
      }))}
    />
  )
}

interface RowNameProps {
  readonly spending: Spending
  readonly name: string
}

function RowName({ spending, name }: RowNameProps): JSX.Element {
  if (spending.by === "account") {
    return (
      <a href={toSpendingHref({ ...spending, by: "day", account: name })}>
        <bdi>{name}</bdi>
      </a>
    )
  }
  if (spending.by === "channel") {
    return (
      <a href={toHref(["channels"])}>
        <bdi>{name}</bdi>
      </a>
    )
  }
  return <bdi>{spending.by === "day" ? date.format(new Date(name)) : name}</bdi>
}

interface ChargedProps {
  readonly micros: number
  readonly most: number
}

function Charged({ micros, most }: ChargedProps): JSX.Element {
  return (
    <span class="spending-charged">
      <span class="spending-bar" aria-hidden="true">
        <span style={{ width: `${Math.max(0, micros / most) * 100}%` }} />
      </span>
      <Money micros={micros} />
    </span>
  )
}
