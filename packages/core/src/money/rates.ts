/**
 * The rates of a price, and what each of them counts. A charge is the sum of them, and so are the lines of a quote: both
 * are made from this table. A rate that a price lacks counts nothing.
 */
import type { ArtifactKind } from "../models/artifact-kind.ts"
import type { MediaKind } from "../models/media-url.ts"
import type { Usage } from "../task/events.ts"
import { billedInputMs } from "./billed-input.ts"

/** Integer micro-units, each. */
export interface PriceRates {
  readonly perImageMicros?: number
  /** Of measured output and of input as it is billed (specification §8). */
  readonly perVideoSecondMicros?: number
  /** Of measured output. */
  readonly perAudioSecondMicros?: number
  /** Whatever was made of it. */
  readonly perRequestMicros?: number
  /** Of the text that is used up. */
  readonly perThousandCharactersMicros?: number
  /** As the provider tells them. */
  readonly perThousandTokensMicros?: number
}

export type PriceRate = keyof PriceRates

/** What a line of a bill may be about. */
export const BILLED_ITEMS = [
  "image",
  "output_video",
  "input_video",
  "output_audio",
  "request",
  "characters",
  "tokens",
] as const

export type BilledItem = (typeof BILLED_ITEMS)[number]

export interface Counted {
  readonly item: BilledItem
  readonly rate: PriceRate
  /** How many of what is counted make one that the rate prices: a rate of a second counts milliseconds. */
  readonly per: 1 | 1_000
  readonly count: (usage: Usage) => number
}

export const COUNTED: readonly Counted[] = [
  { item: "image", rate: "perImageMicros", per: 1, count: ({ images }) => images },
  {
    item: "output_video",
    rate: "perVideoSecondMicros",
    per: 1_000,
    count: ({ outputVideoMs }) => outputVideoMs,
  },
  {
    item: "input_video",
    rate: "perVideoSecondMicros",
    per: 1_000,
    count: ({ inputVideosMs }) => billedInputMs(inputVideosMs),
  },
  {
    item: "output_audio",
    rate: "perAudioSecondMicros",
    per: 1_000,
    count: ({ outputAudioMs = 0 }) => outputAudioMs,
  },
  { item: "request", rate: "perRequestMicros", per: 1, count: () => 1 },
  {
    item: "characters",
    rate: "perThousandCharactersMicros",
    per: 1_000,
    count: ({ characters = 0 }) => characters,
  },
  {
    item: "tokens",
    rate: "perThousandTokensMicros",
    per: 1_000,
    count: ({ tokens = 0 }) => tokens,
  },
]

export const PRICE_RATES: readonly PriceRate[] = [...new Set(COUNTED.map(({ rate }) => rate))]

/** What a model must make, or take, for a rate to count anything. Any model may be billed by the others. */
const KIND_OF: Partial<Readonly<Record<PriceRate, ArtifactKind>>> = {
  perImageMicros: "image",
  perVideoSecondMicros: "video",
  perAudioSecondMicros: "audio",
}

export interface BilledModel {
  readonly artifacts: readonly ArtifactKind[]
  readonly media: Readonly<Record<string, MediaKind>>
}

/** Whether the rate counts anything that a task of the model makes or uses up. */
export function canCount(rate: PriceRate, { artifacts, media }: BilledModel): boolean {
  const kind = KIND_OF[rate]
  if (kind === undefined || artifacts.includes(kind)) return true
  return rate === "perVideoSecondMicros" && Object.values(media).includes("video")
}

/** Whether the price has a rate that counts something of the model. */
export function hasRate(model: BilledModel, price: PriceRates): boolean {
  return PRICE_RATES.some((rate) => price[rate] !== undefined && canCount(rate, model))
}

/** The rates of a price that count something of the model: without one it has no price. */
export function listRates(model: BilledModel, price: PriceRates): readonly PriceRate[] {
  return PRICE_RATES.filter((rate) => price[rate] !== undefined && canCount(rate, model))
}
