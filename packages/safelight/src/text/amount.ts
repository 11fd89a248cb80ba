/**
 * Amounts and durations as people read them. Digits are moved, never divided: what is printed is
 * exact to the micro-unit and the millisecond, whatever its size.
 */
import { formatCount } from "./count.ts"

/** 2500 as `2500 micro-units (0.002500)`, or `… (0.002500 EUR)` in a currency that has a name. */
export function formatAmount(micros: number, currency?: string): string {
  const units = currency === undefined ? formatUnits(micros) : `${formatUnits(micros)} ${currency}`
  return `${formatCount(micros, "micro-unit")} (${units})`
}

/** Integer micro-units as units with six decimals. */
export function formatUnits(micros: number): string {
  return movePoint(BigInt(micros), 6)
}

/** The same without zeros at its end: `0.04`. */
export function formatShortUnits(micros: number): string {
  return toShort(formatUnits(micros))
}

/** Integer milliseconds as seconds: `5 s`, `2.5 s`. */
export function formatSeconds(durationMs: number): string {
  return `${toShort(movePoint(BigInt(durationMs), 3))} s`
}

/** `amount` of 10 to the power of −`decimals`, without zeros at its end. */
export function formatDecimal(amount: bigint, decimals: number): string {
  return toShort(movePoint(amount, decimals))
}

function movePoint(count: bigint, decimals: number): string {
  const isNegative = count < 0n
  const digits = String(isNegative ? -count : count).padStart(decimals + 1, "0")
  return `${isNegative ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function toShort(decimal: string): string {
  return decimal.replace(/\.?0+$/, "")
}
