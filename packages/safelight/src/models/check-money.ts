/**
 * Whether a model is charged by the rates and factors of its price, and estimates an amount. Neither price tables nor
 * `usage` could explain a charge of its own, and if it failed, it would fail after the purchase.
 */
import {
  chargeUsage,
  MAX_USAGE,
  toMainKind,
  type ArtifactKind,
  type Model,
  type ModelPrice,
  type ParameterValues,
  type Usage,
} from "@safelight/core"

const PRICE: ModelPrice = {
  perImageMicros: 7,
  perVideoSecondMicros: 11,
  perRequestMicros: 13,
  factors: { size: { "4k": "2.5" } },
}
const LOGGED = { size: "4k" }
/** On both sides of each rule of specification §8. */
const USAGES: readonly Usage[] = [
  { images: 1, inputVideosMs: [], outputVideoMs: 4_001 },
  { images: 3, inputVideosMs: [2_500], outputVideoMs: 4_001 },
  { images: 3, inputVideosMs: [40_000, 1], outputVideoMs: 4_001 },
]

/** In words that follow the file's name; undefined if there is no fault. */
export function findChargeFault(model: Pick<Model, "charge">): string | undefined {
  const isStandard = USAGES.every(
    (usage) => tryCharge(model, usage) === chargeUsage(usage, PRICE, LOGGED),
  )
  if (isStandard) return undefined
  return "may not charge by a rule of its own: leave charge out"
}

function tryCharge({ charge }: Pick<Model, "charge">, usage: Usage): number | undefined {
  try {
    return charge(usage, PRICE, LOGGED)
  } catch {
    return undefined
  }
}

/** The member of the usage that says how much of the main kind is made; of text and 3D nothing does. */
const MADE: Readonly<Partial<Record<ArtifactKind, "images" | "outputAudioMs" | "outputVideoMs">>> =
  { image: "images", video: "outputVideoMs", audio: "outputAudioMs" }

/** The fault of the estimate for checked parameters; undefined if there is none. */
export function findEstimateFault(
  { artifacts, estimate }: Pick<Model, "artifacts" | "estimate">,
  parameters: ParameterValues,
): string | undefined {
  const usage: Partial<Usage> | undefined = estimate(parameters)
  const { characters = 0, images, inputVideosMs, outputAudioMs = 0, outputVideoMs } = usage ?? {}
  const { tokens = 0 } = usage ?? {}
  const some = [characters, outputAudioMs, tokens]
  const amounts = [images, outputVideoMs, ...some, ...(inputVideosMs ?? [NaN])]
  if (!amounts.every(isAmount)) {
    return "estimate must give whole numbers: { images, inputVideosMs: [], outputVideoMs }"
  }
  const member = MADE[toMainKind({ artifacts })]
  if (member === undefined || (usage?.[member] ?? 0) > 0) return undefined
  return `estimate gives no ${member}, so that nothing would be reserved or charged`
}

function isAmount(value: number | undefined): boolean {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 && value <= MAX_USAGE
}
