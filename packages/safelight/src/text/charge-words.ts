/**
 * A charge in words: what was counted, which rules of the specification (§8) applied, and the sum. Core
 * computes every amount; this only explains it.
 */
import {
  billedInputMs,
  chargeImages,
  chargeVideo,
  MODELS,
  type ModelPrice,
  type Usage,
} from "@safelight/core"
import { formatAmount, formatSeconds, formatThousandths } from "./amount.ts"

export interface ChargeRequest {
  /** Public id. If the model is unknown here, the usage tells whether it makes images or a video. */
  readonly model: string
  readonly usage: Usage
  readonly price: ModelPrice
}

export interface ChargeWords {
  /** The rules that made a difference. */
  readonly rules: readonly string[]
  /** From what was counted to the charge. */
  readonly sum: string
  readonly chargeMicros: number
}

/** Throws a RangeError if the price lacks the rate that the model is billed by. */
export function explainCharge(request: ChargeRequest): ChargeWords {
  return isBilledByImage(request) ? explainImages(request) : explainVideo(request)
}

export function isBilledByImage({ model, usage }: Omit<ChargeRequest, "price">): boolean {
  const known = MODELS.find(({ id }) => id === model)
  return known === undefined ? usage.images > 0 : known.artifacts === "image"
}

function explainImages({ usage, price }: ChargeRequest): ChargeWords {
  const chargeMicros = chargeImages(usage, price)
  const images = `${usage.images} image${usage.images === 1 ? "" : "s"}`
  const sum = `${images} × ${price.perImageMicros} = ${formatAmount(chargeMicros)}`
  return { rules: [], sum, chargeMicros }
}

function explainVideo({ usage, price }: ChargeRequest): ChargeWords {
  const { inputVideosMs, outputVideoMs } = usage
  const chargeMicros = chargeVideo(usage, price)
  const inputMs = billedInputMs(inputVideosMs)
  const output = formatSeconds(outputVideoMs)
  const billed = inputVideosMs.length === 0 ? output : `(${output} + ${formatSeconds(inputMs)})`
  const rate = price.perVideoSecondMicros ?? 0
  const exact = BigInt(outputVideoMs + inputMs) * BigInt(rate)
  const rounding = exact % 1000n === 0n ? "" : `${formatThousandths(exact)}, rounded up to `
  const sum = `${billed} × ${rate} = ${rounding}${formatAmount(chargeMicros)}`
  return { rules: findRules(inputVideosMs), sum, chargeMicros }
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
