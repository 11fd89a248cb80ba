/** An account as the commands show it: as JSON with moments in Unix seconds, and in words. */
import { toUnixSeconds, type Account, type AccountView } from "@safelight/core"
import { formatAmount } from "./amount.ts"
import { formatDuration } from "./duration.ts"
import { formatRate } from "./rate.ts"
import { formatTable } from "./table.ts"

/** The settings of an account. Null is no limit, and no retention of its own. */
export function toSettingsRecord(account: Account): object {
  const { rates } = account
  return {
    id: account.id,
    created_at: toUnixSeconds(account.createdAt),
    suspended_at: toUnixSeconds(account.suspendedAt),
    create_rate: toRateRecord(rates.create),
    read_rate: toRateRecord(rates.read),
    content_rate: toRateRecord(rates.content),
    unfinished_tasks: account.unfinishedTasks,
    running_tasks: account.runningTasks,
    weight: account.weight,
    budget_micros: account.budgetMicros,
    retention_ms: account.retentionMs,
    max_retention_ms: account.maxRetentionMs,
    sign_content_urls: account.signsContentUrls,
  }
}

/** The account with what its tasks add up to. */
export function toAccountRecord({ account, leftMicros, totals }: AccountView): object {
  return {
    ...toSettingsRecord(account),
    totals: {
      charged_micros: totals.chargedMicros,
      reserved_micros: totals.reservedMicros,
      unfinished_tasks: totals.unfinishedTasks,
      left_micros: leftMicros,
    },
  }
}

/** A heading and a line for each account. */
export function formatAccounts(accounts: readonly Account[]): string {
  const head = [
    "ACCOUNT",
    "CREATED",
    "STATE",
    "CREATE",
    "READ",
    "CONTENT",
    "UNFINISHED",
    "RUNNING",
    "WEIGHT",
    "BUDGET",
  ]
  const rows = accounts.map((account) => [
    account.id,
    new Date(account.createdAt).toISOString(),
    formatState(account),
    formatRate(account.rates.create),
    formatRate(account.rates.read),
    formatRate(account.rates.content),
    String(account.unfinishedTasks ?? "none"),
    String(account.runningTasks ?? "none"),
    String(account.weight),
    account.budgetMicros === null ? "none" : formatAmount(account.budgetMicros),
  ])
  return formatTable([head, ...rows])
}

function toRateRecord(rate: Account["rates"]["create"]): object | null {
  return rate === null ? null : { requests: rate.requests, window_ms: rate.windowMs }
}

function formatState({ suspendedAt }: Account): string {
  return suspendedAt === 0 ? "active" : `suspended ${new Date(suspendedAt).toISOString()}`
}

export function formatAccount({ account, leftMicros, totals }: AccountView): string {
  const { budgetMicros, maxRetentionMs, rates, retentionMs } = account
  const { runningTasks, unfinishedTasks } = account
  return formatTable([
    ["account", account.id],
    ["created", new Date(account.createdAt).toISOString()],
    ["state", formatState(account)],
    ["create rate", formatRate(rates.create)],
    ["read rate", formatRate(rates.read)],
    ["content rate", formatRate(rates.content)],
    ["unfinished tasks", `${totals.unfinishedTasks} of ${unfinishedTasks ?? "any number"}`],
    ["running tasks", runningTasks === null ? "any number" : `at most ${runningTasks}`],
    ["weight", String(account.weight)],
    ["retention", retentionMs === null ? "default" : formatDuration(retentionMs)],
    ["held at most", maxRetentionMs === 0 ? "not at all" : formatDuration(maxRetentionMs)],
    ["sign content urls", account.signsContentUrls ? "yes" : "no"],
    ["budget", budgetMicros === null ? "none" : formatAmount(budgetMicros)],
    ["charged", formatAmount(totals.chargedMicros)],
    ["reserved", formatAmount(totals.reservedMicros)],
    ...(leftMicros === null ? [] : [["left", formatAmount(leftMicros)]]),
  ])
}
