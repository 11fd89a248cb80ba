/**
 * A prediction's body, and the inputs of the models that are known here, by Replicate's API document and the
 * schemas on the models' pages. The input of any other model is taken as it is.
 */
import * as v from "valibot"
import {
  bodyOf,
  integerOf,
  listOf,
  MEDIA_URL,
  numberOf,
  oneOf,
  textOf,
  WEB_URL,
  type BodySchema,
} from "../frame/body-fault.ts"

const SEED = v.pipe(v.number(), v.integer())

const RECRAFT = bodyOf(
  { prompt: textOf(0, 10_000) },
  {
    aspect_ratio: v.string(),
    size: oneOf(
      "1024x1024",
      "1536x768",
      "768x1536",
      "1280x832",
      "832x1280",
      "1216x896",
      "896x1216",
      "1152x896",
      "896x1152",
      "832x1344",
      "1280x896",
      "896x1280",
      "1344x768",
      "768x1344",
    ),
  },
)

const GROK_EDIT = bodyOf(
  { prompt: v.string() },
  {
    image: MEDIA_URL,
    aspect_ratio: v.string(),
    quality: oneOf("low", "medium", "high"),
    resolution: oneOf("1k", "2k"),
  },
)

type Film = Readonly<Record<string, unknown>>

/** Frames exclude references, and a sound needs something to be seen. */
function isCombined(input: Film): boolean {
  const [images, films, sounds] = ["images", "videos", "audios"].map(
    (kind) => ((input[`reference_${kind}`] ?? []) as readonly unknown[]).length,
  ) as [number, number, number]
  const hasFrame = input["image"] !== undefined
  if (hasFrame && images > 0) return false
  if (input["last_frame_image"] !== undefined && !hasFrame) return false
  return sounds === 0 || images + films > 0 || hasFrame
}

const SEEDANCE = v.pipe(
  bodyOf(
    { prompt: v.string() },
    {
      image: MEDIA_URL,
      last_frame_image: MEDIA_URL,
      reference_images: listOf(MEDIA_URL, 0, 9),
      reference_videos: listOf(MEDIA_URL, 0, 3),
      reference_audios: listOf(MEDIA_URL, 0, 3),
      duration: integerOf(-1, 15),
      resolution: oneOf("480p", "720p", "1080p"),
      aspect_ratio: oneOf("16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"),
      generate_audio: v.boolean(),
      seed: SEED,
    },
  ) as v.GenericSchema<unknown, Film>,
  v.check(isCombined, "frames and references can't be combined so"),
)

const FLUX_SCHNELL = bodyOf(
  { prompt: v.string() },
  {
    aspect_ratio: oneOf(
      "1:1",
      "16:9",
      "21:9",
      "3:2",
      "2:3",
      "4:5",
      "5:4",
      "3:4",
      "4:3",
      "9:16",
      "9:21",
    ),
    disable_safety_checker: v.boolean(),
    go_fast: v.boolean(),
    megapixels: oneOf("1", "0.25"),
    num_inference_steps: integerOf(1, 4),
    num_outputs: integerOf(1, 4),
    output_format: oneOf("webp", "jpg", "png"),
    output_quality: numberOf(0, 100),
    seed: SEED,
  },
)

const INPUTS: Readonly<Record<string, BodySchema>> = {
  "recraft-ai/recraft-v4": RECRAFT,
  "xai/grok-imagine-image-2": GROK_EDIT,
  "bytedance/seedance-2.0": SEEDANCE,
  "black-forest-labs/flux-schnell": FLUX_SCHNELL,
}

/** `hasVersion` where the path names no model. */
export function toPredictionSchema(model: string, hasVersion: boolean): BodySchema {
  return bodyOf(
    { input: INPUTS[model] ?? v.looseObject({}), ...(hasVersion && { version: v.string() }) },
    {
      webhook: WEB_URL,
      webhook_events_filter: v.array(oneOf("start", "output", "logs", "completed")),
      stream: v.boolean(),
    },
  )
}
