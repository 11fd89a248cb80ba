/** What a task of a model keeps of the table that it was accepted under. */
import { sealPrices, toPriceVersion, type PriceTable } from "@safelight/core"
import { sha256 } from "@safelight/engine"

export function priceVersionOf(table: PriceTable, model: string): string {
  const [sealed] = sealPrices([table], sha256)
  return toPriceVersion(sealed, model)
}
