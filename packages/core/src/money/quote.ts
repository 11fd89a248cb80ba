/**
 * What a task would cost at most, and how that comes about. Nothing is stored of a quote, and nothing is
 * reserved for it: a submission that names one is priced by its table and held to its amount, or refused.
 */
import type { Model } from "../models/model.ts"
import type { Usage } from "../task/events.ts"
import { billedInputMs, chargeImages, chargeVideo } from "./charge.ts"
import type { ModelPrice } from "./prices.ts"

/** As much of a quote as a submission names. */
export interface QuoteTerms {
  readonly priceVersion: string
  /** What would be reserved for the task, and the most that it is charged. */
  readonly maxCostMicros: number
  /** Milliseconds since the epoch, exclusive; whole seconds. */
  readonly validUntil: number
}

export interface Quote extends QuoteTerms {
  readonly model: string
  readonly price: ModelPrice
  /** What is billed. Empty if the model has an arithmetic of its own, which no lines explain. */
  readonly lines: readonly QuoteLine[]
}

export interface QuoteLine {
  /** A video is billed by the second. */
  readonly item: "image" | "output_video" | "input_video"
  /** The most that can be billed: images, or milliseconds of video. Video is measured once it is there. */
  readonly quantity: number
  /** Of an image, or of a second. */
  readonly unitPriceMicros: number
}

/** The lines of `costMicros`, which is what the model charges for `usage`. */
export function toQuoteLines(
  { artifacts }: Pick<Model, "artifacts">,
  usage: Usage,
  price: ModelPrice,
  costMicros: number,
): readonly QuoteLine[] {
  const isOfImages = artifacts === "image"
  const unitPriceMicros = isOfImages ? price.perImageMicros : price.perVideoSecondMicros
  if (unitPriceMicros === undefined) return []
  const charge = isOfImages ? chargeImages : chargeVideo
  if (charge(usage, price) !== costMicros) return []
  const lines: QuoteLine[] = isOfImages
    ? [{ item: "image", quantity: usage.images, unitPriceMicros }]
    : [
        { item: "output_video", quantity: usage.outputVideoMs, unitPriceMicros },
        { item: "input_video", quantity: billedInputMs(usage.inputVideosMs), unitPriceMicros },
      ]
  return lines.filter(({ quantity }) => quantity > 0)
}
