/** The bodies of Kling's videos, by its API document. Those of the models that are not here need something alone. */
import * as v from "valibot"
import {
  bodyOf,
  integerOf,
  listOf,
  numberOf,
  oneOf,
  textOf,
  type BodySchema,
} from "../frame/body-fault.ts"

const MOST_CHARACTERS = 3_072

const OPTIONS = bodyOf(
  {},
  {
    callback_url: v.string(),
    external_task_id: v.string(),
    watermark_info: bodyOf({ enabled: v.boolean() }),
  },
)

const SETTINGS = {
  audio: oneOf("native", "off"),
  duration: integerOf(3, 15),
  multi_shot: v.boolean(),
  resolution: oneOf("720p", "1080p", "4k"),
}

/** A URL, or base64 without the beginning of a data URL. */
const MEDIUM = v.pipe(
  v.string(),
  v.regex(/^(?:https?:\/\/|[A-Za-z0-9+/]{4,}={0,2}$)/, "File is not in a valid base64 format"),
)

const CONTENT = v.variant("type", [
  v.strictObject({ type: v.literal("prompt"), text: textOf(1, MOST_CHARACTERS) }),
  v.strictObject({ type: v.literal("first_frame"), url: MEDIUM }),
  v.strictObject({ type: v.literal("last_frame"), url: MEDIUM }),
  v.strictObject({ type: v.literal("element"), element_id: v.string(), id: v.string() }),
])

interface Contents {
  readonly contents: readonly { readonly type: string }[]
}

function hasFirstFrame({ contents }: Contents): boolean {
  return contents.some(({ type }) => type === "first_frame")
}

const SHAPE = oneOf("16:9", "9:16", "1:1")

const TURBO_SETTINGS = bodyOf(
  {},
  { aspect_ratio: SHAPE, duration: integerOf(3, 15), resolution: oneOf("720p", "1080p") },
)

const SECONDS = Array.from({ length: 13 }, (_, index) => String(3 + index))

/** Videos of the older design, whose model is a member. */
const OLDER = {
  callback_url: v.string(),
  camera_control: v.looseObject({}),
  cfg_scale: numberOf(0, 1),
  external_task_id: v.string(),
  mode: oneOf("std", "pro"),
  model_name: v.string(),
  negative_prompt: textOf(0, 2_500),
  sound: oneOf("on", "off"),
  watermark_info: bodyOf({ enabled: v.boolean() }),
}

/** Other lengths than 5 and 10 are those of the third version alone. */
function olderOf(required: Members, optional: Members): BodySchema {
  const known = bodyOf(required, { ...OLDER, ...optional, duration: oneOf(...SECONDS) })
  return v.pipe(
    known as v.GenericSchema<unknown, OlderBody>,
    v.check(hasLength, "duration is not supported by the model"),
  )
}

type Members = Readonly<Record<string, BodySchema>>

interface OlderBody {
  readonly duration?: string
  readonly model_name?: string
}

function hasLength({ duration = "5", model_name: model = "" }: OlderBody): boolean {
  return model.startsWith("kling-v3") || duration === "5" || duration === "10"
}

const ANY_BODY: BodySchema = v.looseObject({})

const BODIES: Readonly<Record<string, BodySchema>> = {
  "text-to-video/kling-3.0": bodyOf(
    { prompt: textOf(1, MOST_CHARACTERS) },
    {
      options: OPTIONS,
      settings: bodyOf({}, { ...SETTINGS, aspect_ratio: SHAPE }),
    },
  ),
  "image-to-video/kling-3.0": v.pipe(
    bodyOf(
      { contents: listOf(CONTENT, 1, 6) },
      { options: OPTIONS, settings: bodyOf({}, SETTINGS) },
    ) as v.GenericSchema<unknown, Contents>,
    v.check(hasFirstFrame, "first_frame is required"),
  ),
  "text-to-video/kling-3.0-turbo": bodyOf(
    { prompt: textOf(1, MOST_CHARACTERS) },
    { options: OPTIONS, settings: TURBO_SETTINGS },
  ),
  "videos/text2video": olderOf({ prompt: textOf(1, 2_500) }, { aspect_ratio: SHAPE }),
  "videos/image2video": olderOf(
    { image: MEDIUM },
    { image_tail: MEDIUM, prompt: textOf(0, 2_500), static_mask: MEDIUM },
  ),
}

/** By the path of a purchase. */
export function toBodySchema(path: string): BodySchema {
  return BODIES[path] ?? ANY_BODY
}
