/**
 * A price as a table: what each combination of the values that it depends on costs. Amounts are micro-units, and may
 * have fractions: a charge is rounded up once, over all that a task used.
 */
import type { ModelInfo } from "@safelight/client"

export type Price = ModelInfo["price"]

export interface Rate {
  /** `an image`. */
  readonly per: string
  readonly micros: number
}

export interface PriceRow {
  /** By parameter, in the order of `PriceTable.params`. */
  readonly values: readonly string[]
  readonly rates: readonly Rate[]
}

export interface PriceTable {
  /** What the price depends on; none: there is one row. */
  readonly params: readonly string[]
  readonly rows: readonly PriceRow[]
}

const WORDS = [
  ["per_request_micros", "a task"],
  ["per_image_micros", "an image"],
  ["per_video_second_micros", "a second of video"],
  ["per_audio_second_micros", "a second of audio"],
  ["per_thousand_characters_micros", "a thousand characters"],
  ["per_thousand_tokens_micros", "a thousand tokens"],
] as const satisfies readonly (readonly [keyof Price, string])[]

/** More rows than a reader looks through: then the factors are listed instead. */
const MOST_ROWS = 60

/** Undefined if there are too many combinations for a table. */
export function toPriceTable(price: Price): PriceTable | undefined {
  const tables = Object.entries(price.factors ?? {})
  const count = tables.reduce((total, [, values]) => total * Object.keys(values).length, 1)
  if (count > MOST_ROWS) return undefined
  let rows: readonly Combination[] = [{ values: [], factor: 1 }]
  for (const [, values] of tables) rows = rows.flatMap((row) => combine(row, values))
  return {
    params: tables.map(([param]) => param),
    rows: rows.map(({ factor, values }) => ({ values, rates: toRates(price, factor) })),
  }
}

interface Combination {
  readonly values: readonly string[]
  readonly factor: number
}

function combine(row: Combination, values: Readonly<Record<string, string>>): Combination[] {
  return Object.entries(values).map(([value, factor]) => ({
    values: [...row.values, value === "*" ? "any other" : value],
    factor: row.factor * Number(factor),
  }))
}

/** The rates of a price; a model may have several. */
export function toRates(price: Price, factor = 1): readonly Rate[] {
  return WORDS.flatMap(([name, per]) => {
    const micros = price[name]
    return micros === undefined ? [] : [{ per, micros: micros * factor }]
  })
}

export interface Cheapest {
  readonly rates: readonly Rate[]
  /** Whether other values cost more. */
  readonly isLeast: boolean
}

export function toCheapest(price: Price): Cheapest {
  const tables = Object.values(price.factors ?? {}).map((values) =>
    Object.values(values).map(Number),
  )
  const least = tables.reduce((factor, values) => factor * Math.min(...values), 1)
  const most = tables.reduce((factor, values) => factor * Math.max(...values), 1)
  return { rates: toRates(price, least), isLeast: most > least }
}
