/** The catalogue for people and for scripts. */
import type { CatalogueModel, CatalogueUpstream, ListPrice } from "@safelight/catalogue"
import type { ModelPrice } from "@safelight/core"
import { formatPrice } from "./price-words.ts"
import { formatTable } from "./table.ts"

export function formatCatalogue(models: readonly CatalogueModel[]): string {
  const rows = models.map(({ name, file }) => [
    name,
    Object.keys(file.outputs).join(","),
    Object.keys(file.providers).join(","),
    file.title,
    listCosts(file).map(formatCost).join("; ") || "unknown",
  ])
  return formatTable([["NAME", "MAKES", "BY", "TITLE", "LIST PRICE"], ...rows])
}

/** US dollars, as the provider charges. */
export function formatCost([provider, cost]: readonly [string, ListPrice]): string {
  return `${provider} ${formatPrice(toPrice(cost))} (${cost.read})`
}

export function toCatalogueRecord({ name, file }: CatalogueModel): object {
  return {
    name,
    model: file.id,
    title: file.title,
    description: file.description,
    kinds: Object.keys(file.outputs),
    providers: Object.entries(file.providers).map(([type, upstream]) => {
      const { model, cost } = toUpstream(upstream)
      return { type, model, ...(cost !== undefined && { cost }) }
    }),
  }
}

/** The known costs, by the provider's type. */
export function listCosts(file: CatalogueModel["file"]): readonly (readonly [string, ListPrice])[] {
  return Object.entries(file.providers).flatMap(([type, upstream]) => {
    const { cost } = toUpstream(upstream)
    return cost === undefined ? [] : [[type, cost] as const]
  })
}

/** The amounts alone. */
export function toPrice({ source: _source, read: _read, ...price }: ListPrice): ModelPrice {
  return price
}

function toUpstream(upstream: string | CatalogueUpstream): CatalogueUpstream {
  return typeof upstream === "string" ? { model: upstream } : upstream
}
