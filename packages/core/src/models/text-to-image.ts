/** Text to image (specification §2.4). */
import * as v from "valibot"
import { colour, colours, fields, text } from "./fields.ts"
import { defineModel } from "./model.ts"

const parameters = fields({
  prompt: text(1, 10_000),
  size: v.optional(
    v.picklist([
      "square_hd",
      "square",
      "portrait_4_3",
      "portrait_16_9",
      "landscape_4_3",
      "landscape_16_9",
    ]),
    "square_hd",
  ),
  background_color: v.optional(colour("background_color")),
  enable_safety_checker: v.optional(v.boolean(), true),
  colors: v.optional(colours("colors"), []),
})

export type TextToImageParameters = v.InferOutput<typeof parameters>

export const textToImage = defineModel({
  id: "vendor-a/v4.1/flash/text-to-image",
  artifacts: "image",
  parameters,
  logged: ["size", "enable_safety_checker"],
  estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
})
