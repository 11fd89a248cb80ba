/**
 * Values of options that several commands take: durations, counts, request rates. Each parser throws commander's
 * error, which becomes one line that names the option.
 */
import type { Rate } from "@safelight/core"
import { InvalidArgumentError } from "commander"
import { formatDuration, parseDuration } from "../text/duration.ts"
import { parseRate as toRate, RATE_FORM } from "../text/rate.ts"
import { parseShare } from "../text/share.ts"
import { parseSize } from "../text/size.ts"

export interface DurationBounds {
  readonly minMs: number
  readonly maxMs: number
}

export type ParseValue<Value> = (text: string) => Value

/** Makes a parser of durations, in milliseconds, within bounds. */
export function durationWithin(bounds: DurationBounds): ParseValue<number> {
  const { minMs, maxMs } = bounds
  return (text) => {
    const durationMs = parseDuration(text)
    if (durationMs !== undefined && durationMs >= minMs && durationMs <= maxMs) return durationMs
    const range = `${formatDuration(minMs)} to ${formatDuration(maxMs)}`
    throw new InvalidArgumentError(`expected a duration as in 90s, 15m, 24h or 14d; ${range}.`)
  }
}

/** A whole number from 0 to 2^53 − 1. */
export function parseCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : NaN
  if (Number.isSafeInteger(count)) return count
  throw new InvalidArgumentError("expected a whole number from 0 on.")
}

/** The URL of a page or an API. */
export function parseWebUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text
  throw new InvalidArgumentError("expected a URL as in https://example.com/")
}

/** Makes a parser of whole numbers within bounds. */
export function countWithin(min: number, max: number): ParseValue<number> {
  return (text) => {
    const count = /^\d+$/.test(text) ? Number(text) : NaN
    if (Number.isSafeInteger(count) && count >= min && count <= max) return count
    throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}.`)
  }
}

/** Makes a parser that lets `word` through, and reads anything else as `parse` does. */
export function orWord<Word extends string, Value>(
  word: Word,
  parse: ParseValue<Value>,
): ParseValue<Word | Value> {
  return (text) => {
    if (text === word) return word
    try {
      return parse(text)
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      throw new InvalidArgumentError(error.message.replace(/\.$/, `, or ${word}.`))
    }
  }
}

/** `60/1m`: 60 requests at once, refilled evenly within a minute. */
export function parseRate(text: string): Rate {
  const rate = toRate(text)
  if (rate !== undefined) return rate
  throw new InvalidArgumentError(`expected ${RATE_FORM}.`)
}

/** `1%` or `0.01`, as a number above 0 and up to 1. */
export function parseSampleShare(text: string): number {
  const share = parseShare(text)
  if (share !== undefined) return share
  throw new InvalidArgumentError("expected a share as in 1% or 0.01; above 0, and 100% at most.")
}

/** `20MB`, as bytes a second. */
export function parseByteRate(text: string): number {
  const bytes = parseSize(text)
  if (bytes !== undefined) return bytes
  throw new InvalidArgumentError("expected bytes a second as in 20MB, 512KiB or 1.5GB.")
}

export function parseYesNo(text: string): boolean {
  if (text === "yes" || text === "no") return text === "yes"
  throw new InvalidArgumentError("expected yes or no.")
}
