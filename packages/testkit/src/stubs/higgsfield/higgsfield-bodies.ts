/**
 * Higgsfield's inputs, by its API document: unknown members are refused, as it does itself. The input of a model
 * that is not known here may have any.
 */
import * as v from "valibot"
import {
  bodyOf,
  integerOf,
  listOf,
  oneOf,
  textOf,
  WEB_URL,
  type BodySchema,
} from "../frame/body-fault.ts"

interface References {
  readonly image_urls?: readonly string[]
  readonly video_urls?: readonly string[]
  readonly audio_urls?: readonly string[]
}

function countReferences({ image_urls, video_urls, audio_urls }: References): number {
  return [image_urls, video_urls, audio_urls].flatMap((urls) => urls ?? []).length
}

const SEEDANCE = v.pipe(
  bodyOf(
    { prompt: textOf(1, 1_000_000) },
    {
      duration: integerOf(4, 30),
      resolution: oneOf("480p", "720p"),
      aspect_ratio: oneOf("21:9", "16:9", "4:3", "1:1", "3:4", "9:16"),
      bitrate_mode: oneOf("standard", "high"),
      generate_audio: v.boolean(),
      image_urls: listOf(WEB_URL, 0, 30),
      video_urls: listOf(WEB_URL, 0, 10),
      audio_urls: listOf(WEB_URL, 0, 10),
    },
  ) as v.GenericSchema<unknown, References>,
  v.check((body) => countReferences(body) >= 1, "from 1 to 50 references are required"),
  v.check((body) => countReferences(body) <= 50, "from 1 to 50 references are required"),
)

const ANY_INPUT: BodySchema = v.looseObject({
  prompt: v.optional(textOf(1, 1_000_000)),
})

const KLING_TURBO = bodyOf(
  { prompt: textOf(1, 1_000_000) },
  {
    aspect_ratio: oneOf("16:9", "9:16", "1:1"),
    duration: integerOf(3, 15),
    resolution: oneOf("720p", "1080p"),
  },
)

const BODIES: Readonly<Record<string, BodySchema>> = {
  "bytedance/seedance-2.5/reference-to-video": SEEDANCE,
  "kling-video/v3.0-turbo/text-to-video": KLING_TURBO,
}

export function toInputSchema(model: string): BodySchema {
  return BODIES[model] ?? ANY_INPUT
}
