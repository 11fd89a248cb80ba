/**
 * What an attempt cost upstream, for the log: as the provider told it, in millionths of its unit, and
 * computed by the operator's unit price where it told no money. A price that is changed later changes
 * nothing that is recorded.
 */
import {
  MAX_CHARGE_MICROS,
  toBilledCost,
  type AttemptCost,
  type ProviderCost,
  type ToldCost,
  type UnitCost,
  type Usage,
} from "@safelight/core"
import type { Ports } from "./ports.ts"
import type { Work } from "./work.ts"

/** Of one channel, by model. */
export type UnitCosts = Readonly<Record<string, UnitCost>>

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
