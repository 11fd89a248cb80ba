/**
 * What Comfy Router passes on: the native body of the provider behind it, without the model's name, which is in the
 * path.
 */
import * as v from "valibot"
import { toPassedOnFilm, toPassedOnPicture } from "../ark/ark-bodies.ts"
import {
  bodyOf,
  integerOf,
  MEDIA_URL,
  numberOf,
  oneOf,
  textOf,
  type BodySchema,
} from "../frame/body-fault.ts"
import { IMAGE_SHAPES as GROK_IMAGE_SHAPES } from "../xai/xai-bodies.ts"

const CHANNEL = integerOf(0, 255)
const COLOUR = bodyOf({ rgb: v.strictTuple([CHANNEL, CHANNEL, CHANNEL]) })

const RECRAFT = bodyOf(
  { prompt: textOf(1, 10_000) },
  {
    n: integerOf(1, 6),
    size: v.pipe(v.string(), v.regex(/^\d{3,4}x\d{3,4}$/, "not a size")),
    style: v.string(),
    response_format: oneOf("url", "b64_json"),
    controls: bodyOf({}, { background_color: COLOUR, colors: v.array(COLOUR) }),
  },
)

const SIDE = v.pipe(integerOf(256, 2_048), v.multipleOf(16))

/** An image as input is base64, without the beginning of a data URL. */
const FLUX = bodyOf(
  { prompt: textOf(1, 100_000) },
  {
    width: SIDE,
    height: SIDE,
    input_image: v.pipe(v.string(), v.base64()),
    output_format: oneOf("jpeg", "png"),
    prompt_upsampling: v.boolean(),
    safety_tolerance: integerOf(0, 5),
    seed: v.pipe(v.number(), v.integer()),
  },
)

const KLING_SHAPE = oneOf("16:9", "9:16", "1:1")

const KLING = bodyOf(
  {},
  {
    aspect_ratio: KLING_SHAPE,
    camera_control: v.looseObject({}),
    cfg_scale: numberOf(0, 1),
    duration: oneOf(...Array.from({ length: 13 }, (_, index) => String(3 + index))),
    mode: oneOf("std", "pro"),
    multi_shot: v.boolean(),
    negative_prompt: v.string(),
    prompt: v.string(),
    sound: oneOf("on", "off"),
    watermark_info: bodyOf({ enabled: v.boolean() }),
  },
)

const KLING_TURBO = bodyOf(
  { prompt: v.string() },
  {
    options: bodyOf({}, { watermark_info: bodyOf({ enabled: v.boolean() }) }),
    settings: bodyOf(
      {},
      {
        aspect_ratio: KLING_SHAPE,
        duration: integerOf(3, 15),
        resolution: oneOf("720p", "1080p"),
      },
    ),
  },
)

const GROK_IMAGE = bodyOf(
  { prompt: v.string() },
  {
    aspect_ratio: oneOf(...GROK_IMAGE_SHAPES),
    n: integerOf(1, 10),
    quality: oneOf("low", "medium", "high"),
    resolution: oneOf("1k", "2k"),
    response_format: oneOf("url", "b64_json"),
    user: v.string(),
  },
)

const GROK_VIDEO = bodyOf(
  { prompt: textOf(1, 4_096) },
  {
    aspect_ratio: oneOf("1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"),
    duration: integerOf(1, 15),
    image: bodyOf({ url: MEDIA_URL }, { type: oneOf("image_url") }),
    reference_images: v.array(bodyOf({ url: MEDIA_URL })),
    resolution: v.string(),
    user: v.string(),
  },
)

const LUMA_SHAPE = oneOf("1:1", "16:9", "9:16", "4:3", "3:4", "21:9", "9:21")

const PHOTON = bodyOf({ prompt: v.string() }, { aspect_ratio: LUMA_SHAPE })

const RAY = bodyOf(
  {
    aspect_ratio: LUMA_SHAPE,
    duration: oneOf("5s", "9s"),
    prompt: v.string(),
    resolution: oneOf("540p", "720p", "1080p", "4k"),
  },
  { keyframes: v.looseObject({}), loop: v.boolean() },
)

const BODIES: Readonly<Record<string, BodySchema>> = {
  "recraft/recraftv4_1": RECRAFT,
  "bfl/flux-2-pro": FLUX,
  "bfl/flux-2-max": FLUX,
  "kling/kling-v3": KLING,
  "kling/kling-3.0-turbo": KLING_TURBO,
  "luma/photon-1": PHOTON,
  "luma/ray-2": RAY,
  "xai/grok-imagine-image-2.0": GROK_IMAGE,
  "xai/grok-imagine-video": GROK_VIDEO,
}

/** The body of a model that is not known here is taken as it is. */
export function toPassedOnSchema(model: string): BodySchema {
  if (model.startsWith("byteplus/seedream-")) return toPassedOnPicture(model)
  if (/^byteplus\/(?:dreamina-)?seedance-/.test(model)) return toPassedOnFilm(model)
  return BODIES[model] ?? v.looseObject({})
}
