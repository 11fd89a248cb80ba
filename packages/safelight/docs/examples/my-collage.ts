/** A model of one's own by zod, with a price of its own. */
import { defineModel } from "@safelight/core"
import * as z from "zod"

export default defineModel({
  id: "acme/collage",
  artifacts: "image",
  parameters: z.object({
    prompt: z.string().min(1).max(2_000),
    size: z.enum(["square", "4k"]).default("square"),
    elements: z
      .array(
        z.object({
          image_url: z.string().meta({ "x-media": "image" }),
          weight: z.int().min(1).max(9).default(1),
        }),
      )
      .max(4)
      .default([]),
  }),
  logged: ["size"],
  estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
  price: { perImageMicros: 20_000, factors: { size: { square: "1", "4k": "3" } } },
})
