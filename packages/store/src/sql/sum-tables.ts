/** The tables of outcomes that are summed by hour. */
import type { OutcomeSums } from "@safelight/core"
import { describe, integer, nullable, text } from "./columns.ts"

export interface SummedHour {
  readonly hour: number
  /** 0 once the sums of the hour are whole; before, a number of whoever is summing it. */
  readonly summing: number
}

export interface OutcomeSumsRow extends OutcomeSums {
  readonly hour: number
  readonly channel: string
  readonly model: string
  /** From the dispatch to the end, of all successes, and of the longest one. */
  readonly succeededMs: number
  readonly longestMs: number
  /** Percentiles over all models of the channel, in the row of the model that has the one at that rank. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export const SUM_TABLES = {
  /** Hours whose outcomes are summed, by their number since 1970. */
  summedHours: describe<SummedHour>({ hour: integer(), summing: integer() }),
  outcomeSums: describe<OutcomeSumsRow>({
    hour: integer(),
    channel: text(),
    model: text(),
    chargeMicros: integer(),
    computedMicros: integer(),
    deferred: integer(),
    failed: integer(),
    longestMs: integer(),
    p50Ms: nullable(integer()),
    p95Ms: nullable(integer()),
    succeeded: integer(),
    succeededMs: integer(),
    toldMicros: integer(),
    unknown: integer(),
  }),
}
