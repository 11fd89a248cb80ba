/**
 * The oracle's view of the terms of a request: no task costs more than its caller agreed to, by another price
 * table than its quote names, and none lacks a label. What a reader would get wrong: a task that is there
 * already is answered whatever a repeat says, so that every try of a request says the same.
 */
import type { Task } from "@safelight/core"
import { isVersion } from "./judge-charges.ts"
import type { PlannedRequest } from "./requests.ts"

export interface ToldQuote {
  readonly request: number
  readonly priceVersion: string
  readonly maxCostMicros: number
}

export function judgeTerms(
  task: Task,
  planned: PlannedRequest,
  quotes: readonly ToldQuote[],
  fail: (words: string) => void,
): void {
  const { chargeMicros, id, reservationMicros } = task
  const most = Math.max(chargeMicros, reservationMicros)
  const { isQuoted, maxCostMicros = Infinity, request } = planned
  if (most > maxCostMicros) {
    fail(`task ${id} may cost ${most}, and its caller agreed to ${maxCostMicros}`)
  }
  if (!isQuoted) return
  const own = quotes.filter((quote) => quote.request === request)
  const isAgreed = own.some(
    (quote) => most <= quote.maxCostMicros && isSameTable(task.priceVersion, quote.priceVersion),
  )
  if (isAgreed) return
  const words = own.map((quote) => `${quote.maxCostMicros} by ${quote.priceVersion}`).join(" or ")
  fail(`task ${id} may cost ${most} by ${task.priceVersion}, and was quoted ${words}`)
}

function isSameTable(priceVersion: string, quoted: string): boolean {
  return isVersion(priceVersion, quoted) || isVersion(quoted, priceVersion)
}

export function judgeLabels(
  { id }: Task,
  { labels: expected }: PlannedRequest,
  found: Readonly<Record<string, string>>,
  fail: (words: string) => void,
): void {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].toSorted()
  const wrong = names.filter((name) => expected[name] !== found[name])
  for (const name of wrong)
    fail(`task ${id} is labelled ${name}=${found[name]}, not ${expected[name]}`)
}
