/** What accounts were charged and what it cost, by day. */
import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { formatMoney } from "../../design/money.tsx"
import { Plot } from "../../design/plot.tsx"
import type { SpendingRow } from "./load-spending.ts"

export function SpendingPlot({ days }: { readonly days: readonly SpendingRow[] }): JSX.Element {
  const atSeconds = useMemo(() => days.map(({ name }) => Date.parse(name) / 1_000), [days])
  const series = useMemo(
    () => [
      { title: "Charged", values: days.map((day) => day.charge_micros), color: "--accent" },
      { title: "Cost", values: days.map((day) => day.cost_micros), color: "--running" },
    ],
    [days],
  )
  return (
    <Plot
      label={`Charged and cost by day over the last ${days.length} days`}
      atSeconds={atSeconds}
      series={series}
      kind="lines"
      format={formatMoney}
      isUtc
    />
  )
}
