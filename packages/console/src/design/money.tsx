/**
 * Money in the reader's locale, in the currency that the service names. Without a name amounts are numbers without a
 * sign: a made-up currency would be worse than none.
 */
import type { JSX } from "preact"
import { me } from "../session/me.ts"

/** Cents are shown always, and as many digits more as a micro-unit needs. */
const DIGITS = { minimumFractionDigits: 2, maximumFractionDigits: 6 } as const

const plain = new Intl.NumberFormat(undefined, DIGITS)

/** By the currency's name. */
const formats = new Map<string, (amount: number) => string>()

export function formatMoney(micros: number): string {
  const currency = me.value?.currency ?? null
  const amount = micros / 1_000_000
  if (currency === null) return plain.format(amount)
  const format = formats.get(currency) ?? createFormat(currency)
  formats.set(currency, format)
  return format(amount)
}

/** Three capital letters are a code that browsers know signs for; any other name stands behind the number. */
function createFormat(currency: string): (amount: number) => string {
  if (!/^[A-Z]{3}$/.test(currency)) return (amount) => `${plain.format(amount)} ${currency}`
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency, ...DIGITS })
  return (amount) => format.format(amount)
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
  ...DIGITS,
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
