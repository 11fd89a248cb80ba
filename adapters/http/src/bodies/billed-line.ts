/** What a task is billed for, line by line: quantity × unit price × factors. */
import { BILLED_ITEMS, type BilledItem, type QuoteLine } from "@safelight/core"
import * as v from "valibot"
import { described, type Shown } from "./body.ts"
import { appliedFactors, toFactorsBody } from "./price.ts"
import { whole } from "./shapes.ts"

export const BILLED_LINE = {
  item: v.picklist(BILLED_ITEMS),
  unit: v.picklist(["image", "second", "request", "thousand_characters", "thousand_tokens"]),
  unit_price_micros: whole,
  images: v.optional(described(whole, "Of `image` alone.")),
  duration_ms: v.optional(
    described(whole, "Of video and audio: in a quote the most that can be billed."),
  ),
  requests: v.optional(described(whole, "Of `request` alone.")),
  characters: v.optional(described(whole, "Of `characters` alone.")),
  tokens: v.optional(
    described(whole, "Of `tokens` alone: in a quote the most that can be billed."),
  ),
  factors: v.optional(
    described(appliedFactors, "What the line is multiplied by; absent if by nothing."),
  ),
}

export const billedLine = v.object(BILLED_LINE)

type Line = Shown<typeof billedLine>

interface ItemShape {
  readonly unit: Line["unit"]
  readonly quantity: "images" | "duration_ms" | "requests" | "characters" | "tokens"
}

const TIMED: ItemShape = { unit: "second", quantity: "duration_ms" }

const SHAPES: Readonly<Record<BilledItem, ItemShape>> = {
  image: { unit: "image", quantity: "images" },
  output_video: TIMED,
  input_video: TIMED,
  output_audio: TIMED,
  request: { unit: "request", quantity: "requests" },
  characters: { unit: "thousand_characters", quantity: "characters" },
  tokens: { unit: "thousand_tokens", quantity: "tokens" },
}

export function toBilledLine({ factors, item, quantity, unitPriceMicros }: QuoteLine): Line {
  const { quantity: member, unit } = SHAPES[item]
  return {
    item,
    unit,
    unit_price_micros: unitPriceMicros,
    [member]: quantity,
    ...(factors && { factors: toFactorsBody(factors) }),
  }
}
