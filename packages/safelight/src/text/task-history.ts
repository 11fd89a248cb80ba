/**
 * A task's events in words, one line each, with the attempt and the channel of each. An event that this release
 * can't read is shown as it is: the audit says what is wrong with it.
 */
import {
  COST_CURRENCY,
  isSafelightError,
  openEventStrictly,
  toCostFigure,
  type AttemptCost,
  type StoredEvent,
  type TaskEvent,
} from "@safelight/core"
import { formatAmount, formatShortUnits } from "./amount.ts"

export interface HistoryEntry {
  readonly line: string
  /** Null for events before the first attempt. */
  readonly attempt: number | null
  readonly channel: string | null
}

/** What one attempt cost upstream. */
export interface HistoryCost {
  readonly attempt: number | null
  readonly channel: string | null
  /** In micro-units of US dollars; null if it is unknown. */
  readonly cost_micros: number | null
  readonly source: "none" | "unknown" | "told" | "computed"
}

export interface TaskHistory {
  readonly entries: readonly HistoryEntry[]
  /** What the account was charged. */
  readonly chargeMicros: number
  /** One for each attempt that ended. */
  readonly costs: readonly HistoryCost[]
}

export function toTaskHistory(stored: readonly StoredEvent[]): TaskHistory {
  const entries: HistoryEntry[] = []
  const costs: HistoryCost[] = []
  let chargeMicros = 0
  let asked: Pick<HistoryEntry, "attempt" | "channel"> = { attempt: null, channel: null }
  for (const each of stored) {
    const event = read(each)
    if (event?.type === "dispatched") {
      asked = { attempt: event.data.attempt, channel: event.data.channel }
    }
    if (event?.type === "succeeded" || event?.type === "failed") {
      chargeMicros += event.data.chargeMicros
    }
    const cost = event && toCost(event)
    if (cost !== undefined) costs.push({ ...asked, ...toFigure(cost) })
    const words = event === undefined ? each.data : toWords(event)
    const at = new Date(each.at).toISOString()
    entries.push({ ...asked, line: `${each.version}  ${at}  ${each.type}  ${words}` })
  }
  return { entries, chargeMicros, costs }
}

function read(stored: StoredEvent): TaskEvent | undefined {
  try {
    return openEventStrictly(stored)
  } catch (error) {
    if (isSafelightError(error)) return undefined
    throw error
  }
}

function toCost({ data, type }: TaskEvent): AttemptCost | undefined {
  const isEnd = type === "succeeded" || type === "failed" || type === "deferred"
  return isEnd ? data.cost : undefined
}

function toFigure(cost: AttemptCost): Pick<HistoryCost, "cost_micros" | "source"> {
  const { micros, source } = toCostFigure(cost)
  return { cost_micros: source === "unknown" ? null : micros, source }
}

function toWords(event: TaskEvent): string {
  switch (event.type) {
    case "submitted": {
      const { account, model, priceVersion, reservationMicros } = event.data
      const reserved = `reserved ${formatAmount(reservationMicros)} by prices "${priceVersion}"`
      return `account ${account}, model ${model}, ${reserved}`
    }
    case "dispatched": {
      const { attempt, because, channel, upstreamKey } = event.data
      return `attempt ${attempt}: ${channel} is asked under key ${upstreamKey} (${because})`
    }
    case "accepted":
      return `the channel took it as ${JSON.stringify(event.data.operation)}`
    case "doubted":
      return `the outcome is unknown: ${event.data.code}`
    case "deferred": {
      const { cost, isRefusal, reason, retryAt } = event.data
      const next = isRefusal
        ? "another channel is asked"
        : `asked again from ${new Date(retryAt).toISOString()} on`
      return `${isRefusal ? "refused" : "came to nothing"}: ${reason}; ${next}; ${toCostWords(cost)}`
    }
    case "progressed":
      return `${event.data.progress} %`
    case "succeeded": {
      const { artifacts, chargeMicros, cost } = event.data
      const keys = artifacts.map(({ key }) => key).join(", ")
      return `${keys}; the account is charged ${formatAmount(chargeMicros)}; ${toCostWords(cost)}`
    }
    case "failed": {
      const { chargeMicros, cost, error } = event.data
      return `${error.code}; the account is charged ${formatAmount(chargeMicros)}; ${toCostWords(cost)}`
    }
    case "held":
      return `what had not expired is kept until ${new Date(event.data.until).toISOString()}`
    case "expired":
      return event.data.keys.join(", ")
  }
}

function toCostWords(cost: AttemptCost): string {
  if (cost === "none") return "upstream it cost nothing"
  if (cost === "unknown") return "what it cost upstream is not known"
  const { computedMicros, told } = cost
  const unit = told?.unit === COST_CURRENCY ? "US dollars" : told?.unit
  const words = [
    ...(told === null ? [] : [`the provider charged ${formatShortUnits(told.micros)} ${unit}`]),
    ...(computedMicros === null
      ? []
      : [`by the unit price it cost ${formatShortUnits(computedMicros)} US dollars`]),
  ]
  return words.join(", ")
}
