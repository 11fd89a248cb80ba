/** The bodies of Kling's videos, by its API document. Those of the models that are not here need something alone. */
import * as v from "valibot"
import { bodyOf, integerOf, listOf, oneOf, textOf, type BodySchema } from "../frame/body-fault.ts"

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

const ANY_BODY: BodySchema = v.looseObject({})

const BODIES: Readonly<Record<string, BodySchema>> = {
  "text-to-video/kling-3.0": bodyOf(
    { prompt: textOf(1, MOST_CHARACTERS) },
    {
      options: OPTIONS,
      settings: bodyOf({}, { ...SETTINGS, aspect_ratio: oneOf("16:9", "9:16", "1:1") }),
    },
  ),
  "image-to-video/kling-3.0": v.pipe(
    bodyOf(
      { contents: listOf(CONTENT, 1, 6) },
      { options: OPTIONS, settings: bodyOf({}, SETTINGS) },
    ) as v.GenericSchema<unknown, Contents>,
    v.check(hasFirstFrame, "first_frame is required"),
  ),
  "videos/text2video": bodyOf(
    { prompt: textOf(1, 2_500) },
    {
      model_name: v.string(),
      negative_prompt: textOf(0, 2_500),
      sound: oneOf("on", "off"),
      cfg_scale: v.number(),
      mode: oneOf("std", "pro"),
      camera_control: v.looseObject({}),
      aspect_ratio: oneOf("16:9", "9:16", "1:1"),
      duration: oneOf("5", "10"),
      watermark_info: bodyOf({ enabled: v.boolean() }),
      callback_url: v.string(),
      external_task_id: v.string(),
    },
  ),
}

/** By the path of a purchase. */
export function toBodySchema(path: string): BodySchema {
  return BODIES[path] ?? ANY_BODY
}
