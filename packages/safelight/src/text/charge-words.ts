/**
 * A charge in words: what was counted, which rules of the specification (§8) applied, the factors, and the sum. Core
 * computes every amount; this only explains it.
 */
import {
  billedInputMs,
  chargeExactly,
  chargeUsage,
  COUNTED,
  findFactors,
  PRICE_RATES,
  type AppliedFactor,
  type LoggedParameters,
  type ModelPrice,
  type PriceRate,
  type Usage,
} from "@safelight/core"
import { formatAmount, formatDecimal, formatSeconds } from "./amount.ts"
import { formatCount } from "./count.ts"

export interface ChargeRequest {
  readonly usage: Usage
  readonly price: ModelPrice
  /** As they are logged: a price may have factors by them. */
  readonly parameters: LoggedParameters
  /** Absent if it has no name. */
  readonly currency?: string | undefined
}

export interface ChargeWords {
  /** The rules that made a difference. */
  readonly rules: readonly string[]
  /** From what was counted to the charge. */
  readonly sum: string
  readonly chargeMicros: number
}

/** Throws a RangeError if the price has no factor for one of the parameters. */
export function explainCharge({ currency, usage, price, parameters }: ChargeRequest): ChargeWords {
  const chargeMicros = chargeUsage(usage, price, parameters)
  const { amount, decimals } = chargeExactly(usage, price, parameters)
  const factors = findFactors(price.factors, parameters)
  const terms = toTerms(usage, price)
  const total = terms.join(" + ")
  const counted = terms.length > 1 && factors.length > 0 ? `(${total})` : total
  const isWhole = amount % 10n ** BigInt(decimals) === 0n
  const rounding = isWhole ? "" : `${formatDecimal(amount, decimals)}, rounded up to `
  const product = [counted, ...factors.map(formatFactor)].join(" × ")
  const sum = `${product} = ${rounding}${formatAmount(chargeMicros, currency)}`
  const isOfVideo = price.perVideoSecondMicros !== undefined
  return { rules: isOfVideo ? findRules(usage.inputVideosMs) : [], sum, chargeMicros }
}

/** `2.5 for image_size 4k`. */
export function formatFactor({ factor, parameter, value }: AppliedFactor): string {
  return `${factor} for ${parameter} ${value === null ? "left out" : String(value)}`
}

/** A term for each rate that counts something; if none does, for the first. */
function toTerms(usage: Usage, price: ModelPrice): readonly string[] {
  const rates = PRICE_RATES.filter((rate) => price[rate] !== undefined)
  const used = rates.filter((name) =>
    COUNTED.some(({ count, rate }) => rate === name && count(usage) > 0),
  )
  const shown = used.length > 0 ? used : rates.slice(0, 1)
  return shown.map((rate) => `${QUANTITIES[rate](usage)} × ${price[rate] ?? 0}`)
}

const QUANTITIES: Readonly<Record<PriceRate, (usage: Usage) => string>> = {
  perImageMicros: ({ images }) => formatCount(images, "image"),
  perVideoSecondMicros({ inputVideosMs, outputVideoMs }) {
    const output = formatSeconds(outputVideoMs)
    if (inputVideosMs.length === 0) return output
    return `(${output} + ${formatSeconds(billedInputMs(inputVideosMs))})`
  },
  perAudioSecondMicros: ({ outputAudioMs = 0 }) => `${formatSeconds(outputAudioMs)} of audio`,
  perRequestMicros: () => "1 request",
  perThousandCharactersMicros: ({ characters = 0 }) =>
    `${formatCount(characters, "character")} ÷ 1000`,
  perThousandTokensMicros: ({ tokens = 0 }) => `${formatCount(tokens, "token")} ÷ 1000`,
}

function findRules(inputVideosMs: readonly number[]): readonly string[] {
  const [mainMs, ...otherMs] = inputVideosMs
  if (mainMs === undefined) return []
  const countedMainMs = Math.max(mainMs, billedInputMs([mainMs]))
  const countedMs = otherMs.reduce((total, each) => total + each, countedMainMs)
  const billedMs = billedInputMs(inputVideosMs)
  const shortest = `the main input of ${formatSeconds(mainMs)} counts as ${formatSeconds(countedMainMs)}`
  const longest = `input of ${formatSeconds(countedMs)} is billed as ${formatSeconds(billedMs)}, the most that counts`
  return [...(countedMainMs > mainMs ? [shortest] : []), ...(countedMs > billedMs ? [longest] : [])]
}
