/**
 * The inputs of fal's endpoints that are known here, by the types of fal's own client and the documents of the
 * models. The input of any other endpoint is only looked at for what all endpoints have in common.
 */
import * as v from "valibot"
import {
  bodyOf,
  findBodyFault,
  integerOf,
  listOf,
  MEDIA_URL,
  numberOf,
  oneOf,
  textOf,
  type BodyFault,
  type BodySchema,
} from "../frame/body-fault.ts"

export interface InputError {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

const CHANNEL = integerOf(0, 255)
const COLOUR = bodyOf({}, { r: CHANNEL, g: CHANNEL, b: CHANNEL })
const SIDE = integerOf(1, 14_142)
const IMAGE_SIZE = v.union([
  oneOf("square_hd", "square", "portrait_4_3", "portrait_16_9", "landscape_4_3", "landscape_16_9"),
  bodyOf({}, { width: SIDE, height: SIDE }),
])

const RECRAFT = bodyOf(
  { prompt: textOf(1, 10_000) },
  {
    image_size: IMAGE_SIZE,
    background_color: COLOUR,
    enable_safety_checker: v.boolean(),
    colors: v.array(COLOUR),
  },
)

const GROK_EDIT = bodyOf(
  { prompt: textOf(0, 8_000), image_urls: listOf(MEDIA_URL, 1, 5) },
  {
    output_format: oneOf("jpeg", "png", "webp"),
    quality: oneOf("low", "medium"),
    resolution: oneOf("1k", "2k"),
    aspect_ratio: oneOf(
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
    ),
    sync_mode: v.boolean(),
    num_images: integerOf(1, 4),
  },
)

const SEEDANCE = bodyOf(
  {},
  {
    prompt: v.string(),
    // Documented for these two alone.
    resolution: oneOf("480p", "720p"),
    generate_audio: v.boolean(),
    duration: integerOf(4, 30),
    aspect_ratio: oneOf("21:9", "16:9", "4:3", "1:1", "3:4", "9:16"),
    image_urls: listOf(MEDIA_URL, 0, 30),
    video_urls: listOf(MEDIA_URL, 0, 10),
    audio_urls: listOf(MEDIA_URL, 0, 10),
    bitrate_mode: oneOf("standard", "high"),
  },
)

const FLUX_DEV = bodyOf(
  { prompt: v.string() },
  {
    acceleration: oneOf("none", "regular", "high"),
    enable_safety_checker: v.boolean(),
    guidance_scale: numberOf(1, 20),
    image_size: IMAGE_SIZE,
    num_images: integerOf(1, 4),
    num_inference_steps: integerOf(1, 50),
    output_format: oneOf("jpeg", "png"),
    seed: v.pipe(v.number(), v.integer()),
    sync_mode: v.boolean(),
  },
)

const BODIES: Readonly<Record<string, BodySchema>> = {
  "recraft/v4.1/flash/text-to-image": RECRAFT,
  "xai/grok-imagine-image/v2.0/edit": GROK_EDIT,
  "bytedance/seedance-2.5/reference-to-video": SEEDANCE,
  "fal-ai/flux/dev": FLUX_DEV,
}

/** What most endpoints have in common. */
const ANY_INPUT: BodySchema = v.looseObject({
  prompt: v.optional(textOf(1, 1_000_000)),
  image_urls: v.optional(v.array(v.string())),
  video_urls: v.optional(v.array(v.string())),
  audio_urls: v.optional(v.array(v.string())),
  num_images: v.optional(integerOf(1, 10)),
})

/** fal's names of the rules. */
const TYPES: Readonly<Record<string, string>> = {
  array: "list_type",
  boolean: "bool_type",
  integer: "int_type",
  max_length: "too_long",
  max_value: "less_than_equal",
  min_length: "too_short",
  min_value: "greater_than_equal",
  number: "int_type",
  picklist: "literal_error",
  string: "string_type",
}

/** The fault of an input, as fal's validation says it; undefined if there is none. */
export function findInputError(endpoint: string, input: unknown): InputError | undefined {
  const fault = findBodyFault(BODIES[endpoint] ?? ANY_INPUT, input)
  return fault === undefined
    ? undefined
    : { loc: ["body", ...fault.path], msg: toWords(fault), type: toType(fault) }
}

function toType({ kind, rule }: BodyFault): string {
  if (kind === "missing") return "missing"
  return kind === "unknown" ? "extra_forbidden" : (TYPES[rule] ?? "value_error")
}

function toWords({ kind, words }: BodyFault): string {
  if (kind === "missing") return "Field required"
  return kind === "unknown" ? "Extra inputs are not permitted" : words
}
