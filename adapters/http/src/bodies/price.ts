/** A price as usage, quotes and models show it: integer micro-units of the account's currency. */
import type { AppliedFactor, ModelPrice } from "@safelight/core"
import * as v from "valibot"
import { described, type Shown } from "./body.ts"
import { whole } from "./shapes.ts"

export const price = v.object({
  per_image_micros: v.optional(whole),
  per_video_second_micros: v.optional(whole),
  per_audio_second_micros: v.optional(whole),
  per_request_micros: v.optional(whole),
  per_thousand_characters_micros: v.optional(whole),
  per_thousand_tokens_micros: v.optional(whole),
  factors: v.optional(
    described(
      v.record(v.string(), v.record(v.string(), v.string())),
      "What the sum is multiplied by: a decimal by parameter and value. `*` is any value that is not named, and none.",
    ),
  ),
})

/** What a price was multiplied by. */
export const appliedFactors = v.array(
  v.object({
    param: described(v.string(), "As errors name it: `parameters.image_size`."),
    value: described(
      v.nullable(v.union([v.string(), v.number(), v.boolean()])),
      "Null where it was left out and has no default.",
    ),
    factor: described(v.string(), "A decimal with at most six places, such as `2.5`."),
  }),
)

export function toPriceBody(found: ModelPrice): Shown<typeof price> {
  return {
    per_image_micros: found.perImageMicros,
    per_video_second_micros: found.perVideoSecondMicros,
    per_audio_second_micros: found.perAudioSecondMicros,
    per_request_micros: found.perRequestMicros,
    per_thousand_characters_micros: found.perThousandCharactersMicros,
    per_thousand_tokens_micros: found.perThousandTokensMicros,
    factors: found.factors,
  }
}

export function toFactorsBody(factors: readonly AppliedFactor[]): Shown<typeof appliedFactors> {
  return factors.map(({ factor, parameter, value }) => ({
    param: `parameters.${parameter}`,
    value,
    factor,
  }))
}
