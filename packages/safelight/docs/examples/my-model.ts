/** A model of one's own by valibot. Its price is in `safelight.config.json`. */
import { defineModel, fields, integer, mediaUrl, text } from "@safelight/core"
import * as v from "valibot"

export default defineModel({
  id: "acme/enlarger-2/enlarge",
  artifacts: "image",
  parameters: fields({
    image_url: mediaUrl("image"),
    prompt: v.optional(text(0, 2_000), ""),
    factor: v.optional(v.picklist([2, 4, 8]), 2),
    strength: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 0.5),
    colour: v.optional(v.pipe(text(7, 7), v.regex(/^#[0-9a-f]{6}$/))),
    count: v.optional(integer(1, 4), 1),
  }),
  // What may be in the log for ever: values of a list, whole numbers, booleans.
  logged: ["factor", "count"],
  // What is fetched and handed to channels.
  media: { image_url: "image" },
  // The most that such a task may use up: it is reserved, and no account is charged more.
  estimate: ({ count }) => ({ images: count, inputVideosMs: [], outputVideoMs: 0 }),
})
