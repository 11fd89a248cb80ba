/**
 * The service's report of costs, in words. It is not trusted: a task's charge is computed again with core's
 * arithmetic and compared.
 */
import type { TaskUsage, UsageReport } from "@safelight/client"
import { ANY_VALUE, type Usage } from "@safelight/core"
import { formatAmount, formatSeconds, formatUnits } from "./amount.ts"
import { explainCharge, type ChargeRequest } from "./charge-words.ts"
import { formatCount } from "./count.ts"
import { toRates } from "./price-words.ts"
import { formatOneLine } from "./one-line.ts"
import { formatTable } from "./table.ts"

export interface TaskUsageText {
  readonly text: string
  /** Whether the charge follows from price and usage, as far as that can be computed. */
  readonly isProved: boolean
}

export function formatTaskUsage(record: TaskUsage): TaskUsageText {
  const { task_id: id, model, status, price_version: version } = record
  const labels = Object.entries(record.labels).map(([key, value]) => `${key}=${value}`)
  const head = [
    `${id}  ${status}  ${model}`,
    ...(labels.length === 0 ? [] : [`labelled ${labels.join(", ")}`]),
    `priced by table "${version}"`,
  ]
  const { lines, isProved } = toReason(record)
  const text = [...head, ...lines].map((line) => `${formatOneLine(line)}\n`).join("")
  return { text, isProved }
}

interface Reason {
  readonly lines: readonly string[]
  readonly isProved: boolean
}

function toReason(record: TaskUsage): Reason {
  const { charge_micros: chargeMicros, currency, reserved_micros: reservedMicros } = record
  if (record.finished_at === 0) {
    const line = `reserved ${formatAmount(reservedMicros, currency)} until it has finished; nothing is charged yet`
    return { lines: [line], isProved: true }
  }
  const charged = `charged ${formatAmount(chargeMicros, currency)}`
  const usage = toUsage(record)
  if (usage === undefined) {
    const line = `${charged}: nothing was used that is billed`
    return { lines: [line], isProved: chargeMicros === 0 }
  }
  const used = toUsedLines(usage, record.images_asked)
  if (record.price === null) {
    const line = `${charged}; the service no longer knows the prices of that table`
    return { lines: [...used, line], isProved: true }
  }
  const words = explainCharge({ currency, usage, ...toPricing(record, record.price) })
  const { charge_limit_micros: limitMicros } = record
  const isLimited = words.chargeMicros > limitMicros
  const isProved = chargeMicros === Math.min(words.chargeMicros, limitMicros)
  const limit = isLimited
    ? [`at most what was reserved is charged: ${formatAmount(limitMicros, currency)}`]
    : []
  const difference = isProved ? [] : ["this is not what price and usage make"]
  return { lines: [...used, ...words.rules, words.sum, ...limit, charged, ...difference], isProved }
}

function toUsedLines(usage: Usage, asked: number | null): readonly string[] {
  const inputs = usage.inputVideosMs.map(formatSeconds).join(" + ")
  return [
    ...(asked !== null && usage.images < asked
      ? [`${asked} images were asked for; ${usage.images} could be had`]
      : []),
    ...(usage.outputVideoMs > 0 || inputs !== ""
      ? [`output of ${formatSeconds(usage.outputVideoMs)}, as measured`]
      : []),
    ...(inputs === "" ? [] : [`input of ${inputs}, as measured`]),
  ]
}

function toUsage({ usage }: TaskUsage): Usage | undefined {
  if (usage === null) return undefined
  return {
    images: usage.images,
    inputVideosMs: [...usage.input_videos_ms],
    outputVideoMs: usage.output_video_ms,
    ...(usage.output_audio_ms !== undefined && { outputAudioMs: usage.output_audio_ms }),
    ...(usage.characters !== undefined && { characters: usage.characters }),
    ...(usage.tokens !== undefined && { tokens: usage.tokens }),
  }
}

/** The price with the factors that applied to the task, as the service has them. */
function toPricing(
  { factors = [] }: TaskUsage,
  price: NonNullable<TaskUsage["price"]>,
): Pick<ChargeRequest, "parameters" | "price"> {
  const named = factors.map(({ param, value, factor }) => ({
    name: param.replace(/^parameters\./, ""),
    value,
    factor,
  }))
  const known = named.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]))
  const tables = named.map(({ name, factor }) => [name, { [ANY_VALUE]: factor }] as const)
  return {
    parameters: Object.fromEntries(known),
    price: { ...toRates(price), factors: Object.fromEntries(tables) },
  }
}

/** A line for each model and price table, the total of the period, and the account as a whole. */
export function formatUsageReport(report: UsageReport): string {
  const head = ["MODEL", "PRICES", "TASKS", "IMAGES", "OUTPUT", "INPUT", "MICRO-UNITS", "UNITS"]
  const rows = report.charges.map((sum) => [
    sum.model,
    sum.price_version,
    String(sum.tasks),
    String(sum.images),
    formatSeconds(sum.output_video_ms),
    formatSeconds(sum.billed_input_ms),
    String(sum.charge_micros),
    formatUnits(sum.charge_micros),
  ])
  const total = ["total", "", String(report.tasks), "", "", "", String(report.charge_micros)]
  const totals = [...total, formatUnits(report.charge_micros)]
  const table = formatTable([head, ...rows, totals], { numeric: [2, 3, 4, 5, 6, 7] })
  return `${table}\n${toAccountText(report)}`
}

function toAccountText({ account, currency }: UsageReport): string {
  const { budget_micros: budget, charged_micros: charged, reserved_micros: reserved } = account
  const { unfinished_tasks: unfinished } = account
  const tasks = formatCount(unfinished, "unfinished task")
  const left =
    budget === null ? [] : [["left", formatAmount(budget - charged - reserved, currency)]]
  return formatTable([
    ["budget", budget === null ? "none" : formatAmount(budget, currency)],
    ["charged", formatAmount(charged, currency)],
    ["reserved", `${formatAmount(reserved, currency)} for ${tasks}`],
    ...left,
  ])
}
