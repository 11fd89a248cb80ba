/** Reference to video (specification §2.6). Every parameter is optional and none has a default. */
import * as v from "valibot"
import { VIDEO_BILLING } from "../money/billed-input.ts"
import { fields, integer, text } from "./fields.ts"
import { mediaUrl } from "./media-url.ts"
import { defineModel } from "./model.ts"

/** Left open by the specification: more than anyone writes, and little enough to be held often. */
const LONGEST_PROMPT_CHARACTERS = 1_000_000

const parameters = fields({
  prompt: v.optional(text(0, LONGEST_PROMPT_CHARACTERS)),
  resolution: v.optional(v.picklist(["480p", "720p", "1080p"])),
  generate_audio: v.optional(v.boolean()),
  duration: v.optional(integer(4, 30)),
  aspect_ratio: v.optional(v.picklist(["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"])),
  image_urls: v.optional(v.pipe(v.array(mediaUrl("image")), v.maxLength(30))),
  video_urls: v.optional(v.pipe(v.array(mediaUrl("video")), v.maxLength(10))),
  audio_urls: v.optional(v.pipe(v.array(mediaUrl("audio")), v.maxLength(10))),
  bitrate_mode: v.optional(v.picklist(["standard", "high"])),
})

export type ReferenceToVideoParameters = v.InferOutput<typeof parameters>

/** The longest output a request without `duration` may get. */
const LONGEST_OUTPUT_S = 30

export const referenceToVideo = defineModel({
  id: "vendor-c/video-2.5/reference-to-video",
  artifacts: "video",
  parameters,
  logged: ["resolution", "generate_audio", "duration", "aspect_ratio", "bitrate_mode"],
  media: { image_urls: "image", video_urls: "video", audio_urls: "audio" },
  estimate: ({ duration, video_urls = [] }) => ({
    images: 0,
    inputVideosMs: video_urls.length === 0 ? [] : [VIDEO_BILLING.longestInputMs],
    outputVideoMs: (duration ?? LONGEST_OUTPUT_S) * 1000,
  }),
})
