/** Sums of a period, by day and by what was asked for. Days are of UTC, as the service counts them. */
import type { Client, OperatorUsage } from "@safelight/client"
import type { Spending } from "./spending-route.ts"

export type SpendingRow = OperatorUsage["rows"][number]

const DAY_MS = 86_400_000

/** Every day of the period, oldest first. */
export async function loadDays(
  client: Client,
  { account, days }: Spending,
  signal: AbortSignal,
): Promise<readonly SpendingRow[]> {
  const fromMs = toFirstDayMs(days)
  const query = { by: "day", account, from: fromMs / 1_000 } as const
  const { rows } = await client.admin.usage(query, { signal })
  return fillDays(rows, fromMs, days)
}

export function loadRows(
  client: Client,
  { account, by, days }: Spending,
  signal: AbortSignal,
): Promise<OperatorUsage> {
  return client.admin.usage({ by, account, from: toFirstDayMs(days) / 1_000 }, { signal })
}

function toFirstDayMs(days: number): number {
  const todayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS
  return todayMs - (days - 1) * DAY_MS
}

/** The service leaves out days on which nothing ended; a plot needs them. */
function fillDays(known: readonly SpendingRow[], fromMs: number, count: number): SpendingRow[] {
  const byName = new Map(known.map((row) => [row.name, row]))
  return Array.from({ length: count }, (_, index) => {
    const name = new Date(fromMs + index * DAY_MS).toISOString().slice(0, 10)
    return byName.get(name) ?? { ...NOTHING, name }
  })
}

const NOTHING: Omit<SpendingRow, "name"> = {
  tasks: 0,
  succeeded: 0,
  failed: 0,
  charge_micros: 0,
  cost_micros: 0,
  unknown_costs: 0,
  margin_micros: 0,
}

export function sumRows(rows: readonly SpendingRow[]): Omit<SpendingRow, "name"> {
  const sum = (name: keyof typeof NOTHING): number =>
    rows.reduce((total, row) => total + row[name], 0)
  return {
    tasks: sum("tasks"),
    succeeded: sum("succeeded"),
    failed: sum("failed"),
    charge_micros: sum("charge_micros"),
    cost_micros: sum("cost_micros"),
    unknown_costs: sum("unknown_costs"),
    margin_micros: sum("margin_micros"),
  }
}
