/** A price in words, and from the body in which the service sends it. */
import type { ModelInfo } from "@safelight/client"
import { PRICE_RATES, type ModelPrice, type PriceRate } from "@safelight/core"
import { formatAmount } from "./amount.ts"

type PriceBody = ModelInfo["price"]

const RATE_WORDS: Readonly<Record<PriceRate, string>> = {
  perImageMicros: "an image",
  perVideoSecondMicros: "a second",
  perAudioSecondMicros: "a second of audio",
  perRequestMicros: "a request",
  perThousandCharactersMicros: "a thousand characters",
  perThousandTokensMicros: "a thousand tokens",
}

/** Of one parameter. A longer table is for those who read it in the configuration. */
const MOST_VALUES = 12

/** `60000 micro-units (0.060000) an image, by image_size: × 1 square_hd, × 2.5 4k`. */
export function formatPrice({ factors = {}, ...rates }: ModelPrice, currency?: string): string {
  const priced = PRICE_RATES.flatMap((rate) => {
    const micros = rates[rate]
    return micros === undefined ? [] : [`${formatAmount(micros, currency)} ${RATE_WORDS[rate]}`]
  })
  const tables = Object.entries(factors).map(([parameter, values]) => {
    const named = Object.entries(values).map(([value, factor]) => `× ${factor} ${value}`)
    const others = named.length > MOST_VALUES ? [`${named.length - MOST_VALUES} more`] : []
    return `by ${parameter}: ${[...named.slice(0, MOST_VALUES), ...others].join(", ")}`
  })
  return [...priced, ...tables].join(", ")
}

/** The rates alone. */
export function toRates(price: PriceBody): ModelPrice {
  const rates: Readonly<Record<PriceRate, number | undefined>> = {
    perImageMicros: price.per_image_micros,
    perVideoSecondMicros: price.per_video_second_micros,
    perAudioSecondMicros: price.per_audio_second_micros,
    perRequestMicros: price.per_request_micros,
    perThousandCharactersMicros: price.per_thousand_characters_micros,
    perThousandTokensMicros: price.per_thousand_tokens_micros,
  }
  return Object.fromEntries(Object.entries(rates).filter(([, micros]) => micros !== undefined))
}

export function toModelPrice(price: PriceBody): ModelPrice {
  const { factors } = price
  return { ...toRates(price), ...(factors !== undefined && { factors }) }
}
