/**
 * The arithmetic of a charge, in integers throughout (design §8; specification §8, video billing).
 * The result is rounded up once, at the very end.
 */
import type { Usage } from "../task/events.ts"
import type { ModelPrice } from "./prices.ts"

export const VIDEO_BILLING = {
  /** An edit's main input counts as 4 s when shorter (specification §8). */
  shortestMainInputMs: 4_000,
  /** Inputs are processed for at most 30 s in total (specification §8). */
  longestInputMs: 30_000,
} as const

/**
 * No task costs as much: ten million of the currency, also of one that counts in thousands. Hundreds
 * of it can be added up exactly.
 */
export const MAX_CHARGE_MICROS = 10_000_000_000_000

/** The most pieces, or milliseconds of one video, that a task may have used. */
export const MAX_USAGE = 1_000_000_000_000

/** Images × price each, at most `MAX_CHARGE_MICROS`. Throws a RangeError if the price has no such rate. */
export function chargeImages(usage: Usage, price: ModelPrice): number {
  return toMicros(BigInt(usage.images) * toRate(price.perImageMicros))
}

/** Milliseconds of input that are billed: the first video is the main input. */
export function billedInputMs(inputVideosMs: readonly number[]): number {
  const [main, ...others] = inputVideosMs
  if (main === undefined) return 0
  const mainMs = Math.max(main, VIDEO_BILLING.shortestMainInputMs)
  const totalMs = others.reduce((total, each) => total + each, mainMs)
  return Math.min(totalMs, VIDEO_BILLING.longestInputMs)
}

/**
 * (Measured output + billed input) × price per second, rounded up to a micro-unit, at most
 * `MAX_CHARGE_MICROS`. Throws a RangeError if the price has no such rate.
 */
export function chargeVideo(usage: Usage, price: ModelPrice): number {
  const billedMs = BigInt(usage.outputVideoMs + billedInputMs(usage.inputVideosMs))
  return toMicros((billedMs * toRate(price.perVideoSecondMicros) + 999n) / 1000n)
}

/**
 * An amount of a host's own arithmetic in whole micro-units, rounded up, at most `MAX_CHARGE_MICROS`; undefined
 * if it is none, as a negative one.
 */
export function toWholeMicros(amount: number): number | undefined {
  return amount >= 0 ? Math.min(Math.ceil(amount), MAX_CHARGE_MICROS) : undefined
}

function toRate(micros: number | undefined): bigint {
  if (micros === undefined) throw new RangeError("the model's price lacks the rate it is billed by")
  return BigInt(micros)
}

function toMicros(amount: bigint): number {
  return amount > BigInt(MAX_CHARGE_MICROS) ? MAX_CHARGE_MICROS : Number(amount)
}
