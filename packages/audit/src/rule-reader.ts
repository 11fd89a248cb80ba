/**
 * The prices and models by which charges are computed again, for a reader that runs for long. Other processes may
 * accept tasks by prices that came later, which the storage keeps, so it is asked again from time to time.
 */
import {
  withKeptPrices,
  withModelPrices,
  type Clock,
  type DefinitionStorage,
} from "@safelight/core"
import { readPriceNames } from "./price-names.ts"
import { toReplayRules, type RuleSource } from "./replay-rules.ts"
import type { TellRules } from "./tell-task.ts"

export interface RuleReaderOptions extends RuleSource {
  readonly storage: Pick<DefinitionStorage, "listDefinitions">
  readonly clock: Pick<Clock, "monotonicNow">
}

/** All prices are read and hashed; a task by a price that is younger can't be judged for so long. */
const KEPT_MS = 60_000

/** Rejects as the storage does; the next call then asks again. */
export function createRuleReader(options: RuleReaderOptions): () => Promise<TellRules> {
  const { clock } = options
  let known: { readonly readAt: number; readonly rules: Promise<TellRules> } | undefined

  async function forgetFailure(rules: Promise<TellRules>): Promise<TellRules> {
    try {
      return await rules
    } catch (error) {
      if (known?.rules === rules) known = undefined
      throw error
    }
  }

  return () => {
    const now = clock.monotonicNow()
    if (known === undefined || now - known.readAt >= KEPT_MS) {
      known = { readAt: now, rules: readRules(options) }
    }
    return forgetFailure(known.rules)
  }
}

async function readRules({
  digest,
  models,
  prices,
  storage,
}: RuleReaderOptions): Promise<TellRules> {
  const kept = await storage.listDefinitions("price")
  const book = withKeptPrices(withModelPrices(prices, models), kept, digest)
  const known = { ...toReplayRules({ digest, models, prices: book }), digest }
  const findPrice = await readPriceNames({ listDefinitions: async () => kept }, known)
  return { ...known, findPrice }
}
