/**
 * `safelight usage --margin`, for the operator: what all accounts were charged in a period, and what it cost
 * upstream. It reads the data itself, since the API tells nobody what a provider charges.
 */
import { toUnixSeconds } from "@safelight/core"
import { loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

export interface MarginOptions extends DataOptions {
  /** Unix seconds. */
  readonly from?: number
  readonly to?: number
  readonly json?: true
}

export async function showMargin(options: MarginOptions, context: CommandContext): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const { toMarginReport, toMarginText } = await import("../margin-text.ts")
  const configuration = await loadDataConfiguration(options, context)
  const from = (options.from ?? 0) * 1_000
  const to = options.to === undefined ? Number.MAX_SAFE_INTEGER : options.to * 1_000
  const request = { configuration, mayCreate: false, purpose: "read" } as const
  const outcomes = await withData(request, (storage) => storage.sumOutcomes({ from, to }))
  const report = toMarginReport(outcomes)
  if (options.json !== true) return context.print(toMarginText(report))
  const period = {
    from: toUnixSeconds(from),
    to: options.to === undefined ? null : toUnixSeconds(to),
  }
  context.print(`${JSON.stringify({ ...period, ...report })}\n`)
}
