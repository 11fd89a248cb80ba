/** Image to image (specification §2.5). The prompt is required and may be empty. */
import * as v from "valibot"
import { fields, integer, text } from "./fields.ts"
import { mediaUrl } from "./media-url.ts"
import { defineModel } from "./model.ts"

const parameters = fields({
  prompt: text(0, 8_000),
  image_urls: v.pipe(v.array(mediaUrl("image")), v.minLength(1), v.maxLength(5)),
  output_format: v.optional(v.picklist(["jpeg", "png", "webp"]), "jpeg"),
  quality: v.optional(v.picklist(["low", "medium"]), "medium"),
  resolution: v.optional(v.picklist(["1k", "2k"]), "1k"),
  aspect_ratio: v.optional(
    v.picklist([
      "auto",
      "2:1",
      "20:9",
      "19.5:9",
      "16:9",
      "4:3",
      "3:2",
      "1:1",
      "2:3",
      "3:4",
      "9:16",
      "9:19.5",
      "9:20",
      "1:2",
    ]),
    "auto",
  ),
  sync_mode: v.optional(v.literal(false), false),
  count: v.optional(integer(1, 4), 1),
})

export type ImageEditParameters = v.InferOutput<typeof parameters>

export const imageEdit = defineModel({
  id: "vendor-b/imagine-image/v2.0/edit",
  artifacts: "image",
  parameters,
  logged: ["output_format", "quality", "resolution", "aspect_ratio", "sync_mode", "count"],
  media: { image_urls: "image" },
  estimate: ({ count }) => ({ images: count, inputVideosMs: [], outputVideoMs: 0 }),
})
