/** What a person writes into the fields of limits, and what it stands for. An empty field is no limit. */
import type { AccountChange, OperatorAccount } from "@safelight/client"

export interface Limit {
  readonly name:
    | "budget_micros"
    | "unfinished_tasks"
    | "running_tasks"
    | "create_rate"
    | "read_rate"
    | "content_rate"
  readonly label: string
  readonly hint: string
}

const RATE_HINT = "Requests / seconds: 10/1. Empty: any number."

export const LIMITS: readonly Limit[] = [
  { name: "budget_micros", label: "Budget", hint: "What it may spend in all. Empty: any amount." },
  {
    name: "unfinished_tasks",
    label: "Unfinished tasks",
    hint: "Waiting and running. Empty: any number.",
  },
  { name: "running_tasks", label: "Tasks at once", hint: "On channels. Empty: any number." },
  { name: "create_rate", label: "Submissions", hint: RATE_HINT },
  { name: "read_rate", label: "Other requests", hint: RATE_HINT },
  { name: "content_rate", label: "Downloads", hint: RATE_HINT },
]

export type LimitName = Limit["name"]

const MICROS = 1_000_000
const isRate = (name: LimitName): name is "create_rate" | "read_rate" | "content_rate" =>
  name.endsWith("_rate")

/** As the field shows it. */
export function toText(account: OperatorAccount, name: LimitName): string {
  if (isRate(name)) {
    const rate = account[name]
    return rate === null ? "" : `${rate.requests}/${rate.window_ms / 1_000}`
  }
  const value = account[name]
  if (value === null) return ""
  return name === "budget_micros" ? String(value / MICROS) : String(value)
}

/** Undefined if the text stands for nothing. */
export function parseLimit(name: LimitName, text: string): AccountChange | undefined {
  const trimmed = text.trim()
  if (trimmed === "") return { [name]: null }
  if (isRate(name)) {
    const [, requests, seconds] = /^(\d{1,9})\s*\/\s*(\d{1,9}(?:\.\d{1,3})?)$/.exec(trimmed) ?? []
    if (requests === undefined) return undefined
    return {
      [name]: { requests: Number(requests), window_ms: Math.round(Number(seconds) * 1_000) },
    }
  }
  if (name === "budget_micros") {
    if (!/^\d{1,9}(\.\d{1,6})?$/.test(trimmed)) return undefined
    return { budget_micros: Math.round(Number(trimmed) * MICROS) }
  }
  return /^\d{1,9}$/.test(trimmed) ? { [name]: Number(trimmed) } : undefined
}
