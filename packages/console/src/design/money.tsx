/**
 * Money in the reader's locale. The API counts in micro-units of a currency it does not name, so amounts are numbers
 * without a sign: a made-up currency would be worse than none.
 */
import type { JSX } from "preact"

/** Cents are shown always, and as many digits more as a micro-unit needs. */
const format = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
})

export function formatMoney(micros: number): string {
  return format.format(micros / 1_000_000)
}

export function Money({ micros }: { readonly micros: number }): JSX.Element {
  return (
    <data class="number" value={String(micros)}>
      {formatMoney(micros)}
    </data>
  )
}

const dollars = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
})

export interface CostProps {
  readonly micros: number
  /** Attempts whose cost is unknown. */
  readonly unknownCosts: number
}

/** What providers took: US dollars, unlike what accounts are charged. */
export function Cost({ micros, unknownCosts }: CostProps): JSX.Element {
  return (
    <data class="number" value={String(micros)}>
      {unknownCosts > 0 && "at least "}
      {dollars.format(micros / 1_000_000)}
    </data>
  )
}

/** What is left of the charges. */
export function Margin({ micros, unknownCosts }: CostProps): JSX.Element {
  return (
    <data class={micros < 0 ? "number negative" : "number"} value={String(micros)}>
      {unknownCosts > 0 && "at most "}
      {formatMoney(micros)}
    </data>
  )
}
