/**
 * The bodies of Ark, by its API documents: films of Seedance 2.5 and of the versions before it, and pictures of
 * Seedream. Comfy Router passes them on as they are, without a model's name.
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
}

const NEW: Version = {
  longestS: 30,
  resolutions: ["480p", "720p"],
  most: { image_url: 30, video_url: 10, audio_url: 10 },
}
const OLD: Version = {
  longestS: 15,
  resolutions: ["480p", "720p", "1080p", "4k"],
  most: { image_url: 9, video_url: 3, audio_url: 3 },
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

function toFilmFields({ longestS, resolutions }: Version): Fields {
  return {
    resolution: oneOf(...resolutions),
    duration: integerOf(4, longestS),
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

const PICTURE_FIELDS: Fields = {
  image: v.union([MEDIA_URL, listOf(MEDIA_URL, 1, 14)]),
  size: v.pipe(v.string(), v.regex(/^(?:[124]K|\d{3,4}x\d{3,4})$/, "not a size")),
  sequential_image_generation: oneOf("auto", "disabled"),
  sequential_image_generation_options: bodyOf({}, { max_images: integerOf(1, 15) }),
  response_format: oneOf("url", "b64_json"),
  output_format: oneOf("jpeg", "png"),
  watermark: v.boolean(),
  optimize_prompt_options: v.looseObject({}),
  seed: integerOf(-1, 2_147_483_647),
  stream: v.boolean(),
}

const PROMPT = textOf(1, 100_000)
const MODEL = v.pipe(v.string(), v.nonEmpty())

/** Of a film; `model` decides on its version. */
export function toFilmSchema(model: string): BodySchema {
  const version = model.includes("seedance-2-5") ? NEW : OLD
  const required = { model: MODEL, content: toContent(version) }
  return bodyOf(required, { ...toFilmFields(version), callback_url: WEB_URL })
}

export const PICTURE_BODY = bodyOf({ model: MODEL, prompt: PROMPT }, PICTURE_FIELDS)

/** Without the model's name. */
export const PASSED_ON_FILM = bodyOf({ content: toContent(NEW) }, toFilmFields(NEW))
export const PASSED_ON_PICTURE = bodyOf({ prompt: PROMPT }, PICTURE_FIELDS)
