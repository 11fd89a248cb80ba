/**
 * What an attempt cost upstream, for the log: as the provider reported it, in millionths of its unit, and
 * computed by the operator's unit price if it reported no money. A price that is changed later changes
 * nothing that is recorded.
 */
import {
  MAX_CHARGE_MICROS,
  toBilledCost,
  type AttemptCost,
  type Channel,
  type ProviderCost,
  type ToldCost,
  type UnitCost,
  type Usage,
} from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import type { Work } from "../work/work.ts"

/** Of one channel, by model. */
export type UnitCosts = Readonly<Record<string, UnitCost>>

const FREE: UnitCost = { perImageMicros: 0, perVideoSecondMicros: 0, perUnitMicros: 0 }

/** A channel that costs nothing costs 0 where its operator says no more: a cost that is known. */
export function toUnitCosts({
  channel,
  costs = {},
}: {
  readonly channel: Pick<Channel, "isFree" | "models">
  readonly costs?: UnitCosts
}): UnitCosts {
  if (channel.isFree !== true) return costs
  return { ...Object.fromEntries(channel.models.map((model) => [model, FREE])), ...costs }
}

/** The cost of what was billed, or may have been; `usage`: what was made, where that is known. */
export function toAttemptCost(
  { costs, models }: Pick<Ports, "costs" | "models">,
  { head: { task } }: Pick<Work, "head">,
  told: ProviderCost | undefined,
  usage?: Usage,
): AttemptCost {
  const model = models.get(task.model)
  if (model === undefined) return "unknown"
  const price = costs.get(task.dispatch?.channel ?? "")?.[task.model]
  return toBilledCost(model, price, { told: told && toToldCost(told), usage })
}

/** Rounded to the nearest millionth; answers were bounded when they came. */
function toToldCost({ amount, unit }: ProviderCost): ToldCost {
  return { micros: Math.min(Math.round(amount * 1_000_000), MAX_CHARGE_MICROS), unit }
}
