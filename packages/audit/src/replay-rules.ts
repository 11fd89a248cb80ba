/** The prices and models by which charges are computed again, made ready for looking up. */
import {
  sealPrices,
  withModelPrices,
  type Digest,
  type Model,
  type PriceBook,
} from "@safelight/core"
import type { ReplayRules } from "./replay-stream.ts"

export interface RuleSource {
  readonly digest: Digest
  readonly models: readonly Model[]
  readonly prices: PriceBook
}

export function toReplayRules({ digest, models, prices }: RuleSource): ReplayRules {
  return {
    prices: sealPrices(withModelPrices(prices, models), digest),
    models: new Map(models.map((model) => [model.id, model])),
  }
}
