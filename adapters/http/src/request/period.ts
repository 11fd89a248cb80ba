/**
 * The period of a query: `from` is inclusive and `to` exclusive, so that periods that meet share no task. A period may
 * be empty, but not end before it begins: zeros would hide that the bounds were mixed up.
 */
import { parseMonth, toUnixSeconds, type Month } from "@safelight/core"
import { refuseParameters, type Refuse } from "../errors/refusal.ts"
import { moment, token } from "./query-parameters.ts"

export const PERIOD_QUERY = {
  from: moment("Unix seconds, inclusive; by default 0."),
  to: moment(
    "Unix seconds, exclusive, not before `from`; by default the second after this one, or `from` " +
      "where that is later.",
  ),
}

export interface Period {
  /** Milliseconds, inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

export const MONTH_QUERY = {
  month: token("A month of UTC, such as `2026-11`, in the place of `from` and `to`.", {
    read: parseMonth,
    words: "month must be a month such as 2026-11.",
  }),
}

interface PeriodCall {
  readonly query: { readonly from: number | undefined; readonly to: number | undefined }
  readonly refuse: Refuse<"invalid_value">
  readonly startedAt: number
}

/** By default everything until now. Throws a `Refusal` for a period that ends before it begins. */
export function readPeriod({ query, refuse, startedAt }: PeriodCall): Period {
  const nextSecond = (toUnixSeconds(startedAt) + 1) * 1_000
  const { from = 0, to = Math.max(from, nextSecond) } = query
  if (to >= from) return { from, to }
  const message = "to must not be before from."
  throw refuseParameters(refuse, [{ param: "to", code: "invalid_value", message }])
}

interface MonthCall extends PeriodCall {
  readonly query: PeriodCall["query"] & { readonly month: Month | undefined }
}

/** The same for a query that may name a month, which has bounds already. */
export function readMonthOrPeriod(call: MonthCall): Period {
  const { from, month, to } = call.query
  if (month === undefined) return readPeriod(call)
  if (from === undefined && to === undefined) return { from: month.from, to: month.to }
  const message = "month takes neither from nor to."
  throw refuseParameters(call.refuse, [{ param: "month", code: "invalid_value", message }])
}
