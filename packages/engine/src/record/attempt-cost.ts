/**
 * What an attempt cost upstream, for the log: as the provider reported it, in millionths of its unit, or computed
 * from the operator's unit price if the provider reported no money. Later changes of a price change no record.
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

const FREE: UnitCost = { perRequestMicros: 0, perUnitMicros: 0 }

/** The cost of a free channel without a unit price: 0, which is a known cost. */
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

/** The cost of an attempt that was billed, or may have been. `usage` is what was made, if that is known. */
export function toAttemptCost(
  { costs, taskModels }: Pick<Ports, "costs" | "taskModels">,
  { head: { task } }: Pick<Work, "head">,
  told: ProviderCost | undefined,
  usage?: Usage,
): AttemptCost {
  const model = taskModels.of(task)
  if (model === undefined) return "unknown"
  const price = costs.get(task.dispatch?.channel ?? "")?.[task.model]
  return toBilledCost(model, price, {
    told: told && toToldCost(told),
    usage,
    parameters: task.parameters,
  })
}

/** Rounded to the nearest millionth. The amount was bounded when the answer was parsed. */
function toToldCost({ amount, unit }: ProviderCost): ToldCost {
  return { micros: Math.min(Math.round(amount * 1_000_000), MAX_CHARGE_MICROS), unit }
}
