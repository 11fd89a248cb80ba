/** A price as usage, quotes and models show it: integer micro-units of the account's currency. */
import type { ModelPrice } from "@safelight/core"
import * as v from "valibot"
import type { Shown } from "./body.ts"
import { whole } from "./shapes.ts"

export const price = v.object({
  per_image_micros: v.optional(whole),
  per_video_second_micros: v.optional(whole),
})

export function toPriceBody({
  perImageMicros,
  perVideoSecondMicros,
}: ModelPrice): Shown<typeof price> {
  return { per_image_micros: perImageMicros, per_video_second_micros: perVideoSecondMicros }
}
