/**
 * The bodies of Ark, by its API documents: films of Seedance 2.5 and of the versions before it, and pictures of
 * Seedream, whose versions differ in sizes and formats. Comfy Router passes them on as they are, without a model's name.
 */
import * as v from "valibot"
import {
  bodyOf,
  integerOf,
  listOf,
  MEDIA_URL,
  oneOf,
  textOf,
  WEB_URL,
  type BodySchema,
} from "../frame/body-fault.ts"

type Fields = Readonly<Record<string, BodySchema>>

const TEXT = bodyOf({ type: v.literal("text"), text: v.string() })
const IMAGE = bodyOf(
  { type: v.literal("image_url"), image_url: bodyOf({ url: MEDIA_URL }) },
  { role: oneOf("first_frame", "last_frame", "reference_image") },
)
const FILM = bodyOf({
  type: v.literal("video_url"),
  video_url: bodyOf({ url: WEB_URL }),
  role: oneOf("reference_video"),
})
const SOUND = bodyOf({
  type: v.literal("audio_url"),
  audio_url: bodyOf({ url: MEDIA_URL }),
  role: oneOf("reference_audio"),
})
type Item = { readonly type: string; readonly role?: string }
const ITEM = v.union([TEXT, IMAGE, FILM, SOUND]) as v.GenericSchema<unknown, Item>

interface Version {
  readonly longestS: number
  readonly resolutions: readonly string[]
  readonly most: Readonly<Record<string, number>>
  /** Members that other versions lack. */
  readonly own?: Fields
}

/** Of Seedance 2.5. */
const NEW: Version = {
  longestS: 30,
  resolutions: ["480p", "720p"],
  most: { image_url: 30, video_url: 10, audio_url: 10 },
}
/** Of Seedance 2.0. */
const OLD: Version = {
  longestS: 15,
  resolutions: ["480p", "720p", "1080p", "4k"],
  most: { image_url: 9, video_url: 3, audio_url: 3 },
}
/** Of Seedance 1.5. */
const OLDEST: Version = {
  longestS: 12,
  resolutions: ["480p", "720p", "1080p"],
  most: { image_url: 2, video_url: 0, audio_url: 0 },
  own: { camera_fixed: v.boolean(), draft: v.boolean() },
}

function toContent({ most }: Version): BodySchema {
  const isWithin = (items: Item[]): boolean =>
    Object.entries(most).every(
      ([type, bound]) => items.filter((item) => item.type === type).length <= bound,
    )
  return v.pipe(
    listOf(ITEM, 1, 100),
    v.check((items) => !mixesModes(items), "frames and references exclude each other"),
    v.check(isWithin, "too many references of a kind"),
  )
}

function mixesModes(items: Item[]): boolean {
  const roles = items.map(({ role = "" }) => role)
  const hasFrames = roles.includes("first_frame") || roles.includes("last_frame")
  return hasFrames && roles.some((role) => role.startsWith("reference_"))
}

/** The model's own choice is -1. */
function toFilmFields({ longestS, own = {}, resolutions }: Version): Fields {
  return {
    ...own,
    resolution: oneOf(...resolutions),
    duration: v.union([v.literal(-1), integerOf(4, longestS)]),
    ratio: oneOf("16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"),
    generate_audio: v.boolean(),
    seed: integerOf(-1, 4_294_967_295),
    watermark: v.boolean(),
    return_last_frame: v.boolean(),
    output_format: oneOf("mp4", "mov"),
    execution_expires_after: integerOf(3_600, 259_200),
    service_tier: oneOf("default", "flex"),
    priority: integerOf(0, 9),
    safety_identifier: v.string(),
    tools: v.array(v.looseObject({})),
  }
}

/** By what a model's id holds, the sizes that have a name. */
const NAMED_SIZES: readonly (readonly [part: string, names: string])[] = [
  ["seedream-5-0-pro", "[12]K"],
  ["seedream-5-0", "[23]K"],
  ["seedream-4-5", "[24]K"],
]

function toPictureFields(model: string): Fields {
  const [, names] = NAMED_SIZES.find(([part]) => model.includes(part)) ?? ["", "[124]K"]
  const size = new RegExp(`^(?:${names}|\\d{3,4}x\\d{3,4})$`)
  return {
    image: v.union([MEDIA_URL, listOf(MEDIA_URL, 1, 14)]),
    size: v.pipe(v.string(), v.regex(size, "not a size")),
    response_format: oneOf("url", "b64_json"),
    watermark: v.boolean(),
    optimize_prompt_options: v.looseObject({}),
    stream: v.boolean(),
    sequential_image_generation: oneOf("auto", "disabled"),
    sequential_image_generation_options: bodyOf({}, { max_images: integerOf(1, 15) }),
    ...(!model.includes("seedream-4") && { output_format: oneOf("jpeg", "png") }),
  }
}

const PROMPT = textOf(1, 100_000)
const MODEL = v.pipe(v.string(), v.nonEmpty())

function toVersion(model: string): Version {
  if (model.includes("seedance-2-5")) return NEW
  return model.includes("seedance-1") ? OLDEST : OLD
}

/** Of a film; `model` decides on its version. */
export function toFilmSchema(model: string): BodySchema {
  const version = toVersion(model)
  const required = { model: MODEL, content: toContent(version) }
  return bodyOf(required, { ...toFilmFields(version), callback_url: WEB_URL })
}

/** Of pictures; `model` decides on their sizes. */
export function toPictureSchema(model: string): BodySchema {
  return bodyOf({ model: MODEL, prompt: PROMPT }, toPictureFields(model))
}

/** Without the model's name. */
export function toPassedOnFilm(model: string): BodySchema {
  const version = toVersion(model)
  return bodyOf({ content: toContent(version) }, toFilmFields(version))
}

/** Without the model's name. */
export function toPassedOnPicture(model: string): BodySchema {
  return bodyOf({ prompt: PROMPT }, toPictureFields(model))
}
