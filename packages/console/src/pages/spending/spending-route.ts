/** What the spending page shows, as its address says it: the period, what the rows are, and one account if one is chosen. */
import type { OperatorUsage } from "@safelight/client"
import { toHref } from "../../router/route.ts"

export type Grouping = OperatorUsage["by"]

export interface Spending {
  readonly by: Grouping
  readonly days: number
  readonly account: string | undefined
}

export const GROUPINGS: Readonly<Record<Grouping, string>> = {
  day: "Day",
  model: "Model",
  channel: "Channel",
  account: "Account",
}

export const PERIODS = [7, 30, 90, 365] as const

const FIRST: Spending = { by: "day", days: 30, account: undefined }

/** An address may say anything: what is no period and no grouping is as if it was not said. */
export function readSpending(query: URLSearchParams): Spending {
  const days = PERIODS.find((each) => String(each) === query.get("days")) ?? FIRST.days
  const by = (Object.keys(GROUPINGS) as Grouping[]).find((each) => each === query.get("by"))
  return { by: by ?? FIRST.by, days, account: query.get("account") ?? FIRST.account }
}

export function toSpendingHref({ account, by, days }: Spending): string {
  return toHref(["spending"], { by, days: String(days), account })
}
