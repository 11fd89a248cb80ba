/** Whether the last price table prices every model, found before anything is accepted. */
import {
  chargeOf,
  chargeUsage,
  currentPrices,
  findPrice,
  isPriced,
  MAX_TABLE_NAME_LENGTH,
  SafelightError,
  type Model,
  type PriceBook,
  type Usage,
} from "@safelight/core"

/** Throws `invalid-configuration`, naming the table and the model. */
export function requirePrices(models: ReadonlyMap<string, Model>, prices: PriceBook): void {
  const { version } = currentPrices(prices)
  if (version.length > MAX_TABLE_NAME_LENGTH) {
    throw invalid(
      `table ${version} has a name of more than ${MAX_TABLE_NAME_LENGTH} characters: shorten it`,
    )
  }
  for (const model of models.values()) {
    try {
      requirePrice(model, prices, version)
    } catch (cause) {
      throw invalid(`table ${version} has no usable price for model ${model.id}`, cause)
    }
  }
}

/** A rate that counts what the model makes; or whatever a host's own arithmetic asks for. */
function requirePrice(model: Model, prices: PriceBook, priceVersion: string): void {
  const price = findPrice(prices, priceVersion, model.id)
  if (price === undefined || !isPriced(model, price)) throw new RangeError("no rate applies")
  // Whether factors cover what is asked shows as it is asked: then a submission is refused.
  if (model.charge === chargeUsage) return
  chargeOf(model, prices, { priceVersion, parameters: {} }, SAMPLE_USAGE)
}

const SAMPLE_USAGE: Usage = { images: 1, inputVideosMs: [1_000], outputVideoMs: 1_000 }

function invalid(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message: `prices: ${message}`, cause })
}
