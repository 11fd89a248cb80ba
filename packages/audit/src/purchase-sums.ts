/** Purchases whose outcome a copy lacks, added up by what becomes of them; those that are lost also by channel. */
import { toCostFigure } from "@safelight/core"
import { FATES, type Fate } from "./judge-purchase.ts"
import { createKeptFindings } from "./kept-findings.ts"
import type { Purchase } from "./list-purchases.ts"

/** Costs are US dollars in integer micro-units. */
export interface PurchaseSums {
  readonly purchases: number
  readonly costMicros: number
  /** Purchases whose cost is not known; they are not in `costMicros`. */
  readonly unknownCosts: number
}

/** A purchase that needs a person: the provider knows it by its operation or its key. */
export interface LostPurchase extends Pick<
  Purchase,
  "channel" | "operation" | "task" | "upstreamKey"
> {
  readonly fate: Fate
  /** Null if it is not known. */
  readonly costMicros: number | null
}

export interface PurchaseReport {
  /** Purchases whose outcome the copy lacks. */
  readonly purchases: Readonly<Record<Fate, PurchaseSums>>
  /** Those that are not found again, by channel. */
  readonly lostByChannel: Readonly<Record<string, PurchaseSums>>
  /** The first of those. */
  readonly lostPurchases: readonly LostPurchase[]
}

export interface PurchaseLedger {
  readonly buy: (purchase: Purchase, fate: Fate) => void
  readonly toReport: () => PurchaseReport
}

const NONE: PurchaseSums = { purchases: 0, costMicros: 0, unknownCosts: 0 }

export function createPurchaseLedger(): PurchaseLedger {
  const purchases = Object.fromEntries(FATES.map((fate) => [fate, NONE])) as Record<
    Fate,
    PurchaseSums
  >
  const lostByChannel = new Map<string, PurchaseSums>()
  const lost = createKeptFindings<LostPurchase>()
  return {
    buy({ channel, cost, operation, task, upstreamKey }, fate) {
      const { micros, source } = toCostFigure(cost)
      const costMicros = source === "unknown" ? null : micros
      purchases[fate] = add(purchases[fate], costMicros)
      if (fate === "foundAgain") return
      lostByChannel.set(channel, add(lostByChannel.get(channel) ?? NONE, costMicros))
      lost.add({ task, fate, channel, upstreamKey, operation, costMicros })
    },
    toReport: () => ({
      purchases,
      lostByChannel: Object.fromEntries(lostByChannel),
      lostPurchases: lost.toReport().findings,
    }),
  }
}

function add(sums: PurchaseSums, micros: number | null): PurchaseSums {
  return {
    purchases: sums.purchases + 1,
    costMicros: sums.costMicros + (micros ?? 0),
    unknownCosts: sums.unknownCosts + (micros === null ? 1 : 0),
  }
}
