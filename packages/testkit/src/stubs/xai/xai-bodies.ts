/** The bodies of xAI's pictures and films, by its API document and the AI SDK's provider for it. */
import * as v from "valibot"
import {
  bodyOf,
  integerOf,
  listOf,
  MEDIA_URL,
  oneOf,
  textOf,
  type BodySchema,
} from "../frame/body-fault.ts"

/** As `image` the type may be left out. */
const IMAGE = bodyOf({ url: MEDIA_URL }, { type: oneOf("image_url") })

const MODEL = v.pipe(v.string(), v.nonEmpty())
const PROMPT = textOf(0, 8_000)
export const IMAGE_SHAPES: readonly string[] = [
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
]

const PICTURE = {
  n: integerOf(1, 10),
  aspect_ratio: oneOf(...IMAGE_SHAPES),
  resolution: oneOf("1k", "2k"),
  quality: oneOf("low", "medium", "high"),
  response_format: oneOf("url", "b64_json"),
  output_format: oneOf("jpeg", "png", "webp"),
  user: v.string(),
}
const FILM = {
  duration: integerOf(1, 15),
  aspect_ratio: oneOf("1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "auto"),
  resolution: oneOf("480p", "720p", "1080p"),
  image: IMAGE,
  last_frame: IMAGE,
  reference_images: listOf(IMAGE, 1, 7),
  reference_audios: listOf(bodyOf({ url: MEDIA_URL }), 1, 3),
  reference_voice_ids: listOf(v.string(), 1, 3),
  generate_audio: v.boolean(),
  keyframes: listOf(bodyOf({ image: IMAGE, timestamp_s: v.number() }), 1, 4),
  storage_options: bodyOf(
    { filename: v.string() },
    {
      expires_after: integerOf(1, 2_592_000),
      public_url: v.union([v.boolean(), v.looseObject({})]),
    },
  ),
  user: v.string(),
}
const SOURCE = bodyOf({ url: MEDIA_URL })

/** One image is `image`, several are `images`. */
function hasImages(body: object): boolean {
  return "image" in body !== "images" in body
}

/** By the path. */
export const XAI_BODIES: Readonly<Record<string, BodySchema>> = {
  "/v1/images/generations": bodyOf({ model: MODEL, prompt: PROMPT }, PICTURE),
  "/v1/images/edits": v.pipe(
    bodyOf(
      { model: MODEL, prompt: PROMPT },
      { ...PICTURE, image: IMAGE, images: listOf(IMAGE, 2, 3) },
    ) as v.GenericSchema<unknown, object>,
    v.check(hasImages, "missing field `image`"),
  ),
  "/v1/videos/generations": bodyOf({ model: MODEL }, { prompt: PROMPT, ...FILM }),
  "/v1/videos/edits": bodyOf(
    { model: MODEL, prompt: PROMPT, video: SOURCE },
    { user: v.string(), storage_options: FILM.storage_options },
  ),
  "/v1/videos/extensions": bodyOf(
    { model: MODEL, prompt: PROMPT, video: SOURCE },
    { duration: integerOf(1, 15), storage_options: FILM.storage_options },
  ),
}
