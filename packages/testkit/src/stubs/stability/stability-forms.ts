/**
 * The forms of Stability's images and sounds, by its API document. Every field is a text, and a file is `{ name, type, size }`.
 * The forms of edits and the like are only known to need something.
 */
import * as v from "valibot"
import { bodyOf, integerOf, numberOf, oneOf, textOf, type BodySchema } from "../frame/body-fault.ts"

const MOST_SEED = 4_294_967_294

const RATIO = oneOf("16:9", "1:1", "21:9", "2:3", "3:2", "4:5", "5:4", "9:16", "9:21")

const STYLE = oneOf(
  "3d-model",
  "analog-film",
  "anime",
  "cinematic",
  "comic-book",
  "digital-art",
  "enhance",
  "fantasy-art",
  "isometric",
  "line-art",
  "low-poly",
  "modeling-compound",
  "neon-punk",
  "origami",
  "photographic",
  "pixel-art",
  "tile-texture",
)

const FILE = v.object({
  type: oneOf("image/png", "image/webp", "image/jpeg"),
  size: integerOf(1, 10 * 1024 * 1024),
})

/** A field's number, which comes as a text. */
function field(schema: v.GenericSchema<unknown, number>): BodySchema {
  const isWithin = (text: string): boolean =>
    /^\d+(\.\d+)?$/.test(text) && v.is(schema, Number(text))
  return v.pipe(v.string(), v.check(isWithin, "must be a number within its range"))
}

const COMMON: Readonly<Record<string, BodySchema>> = {
  aspect_ratio: RATIO,
  negative_prompt: textOf(0, 10_000),
  output_format: oneOf("jpeg", "png", "webp"),
  seed: field(integerOf(0, MOST_SEED)),
  style_preset: STYLE,
}

const IMAGE = { image: FILE, strength: field(numberOf(0, 1)) }

const REQUIRED = { prompt: textOf(1, 10_000) }

const SOUND = bodyOf(
  { prompt: textOf(1, 10_000) },
  {
    cfg_scale: field(numberOf(1, 25)),
    duration: field(numberOf(1, 190)),
    model: oneOf("stable-audio-2.5", "stable-audio-2"),
    output_format: oneOf("mp3", "wav"),
    seed: field(integerOf(0, MOST_SEED)),
    steps: field(integerOf(4, 100)),
  },
)

/** Steps of the newer model are 4 to 8. */
const hasSteps = ({ model, steps = "8" }: { readonly model?: string; readonly steps?: string }) =>
  model !== "stable-audio-2.5" || Number(steps) <= 8

const FORMS: Readonly<Record<string, BodySchema>> = {
  core: bodyOf(REQUIRED, COMMON),
  ultra: bodyOf(REQUIRED, { ...COMMON, ...IMAGE }),
  sd3: bodyOf(REQUIRED, {
    ...COMMON,
    ...IMAGE,
    mode: oneOf("text-to-image", "image-to-image"),
    model: oneOf("sd3.5-large", "sd3.5-large-turbo", "sd3.5-medium", "sd3.5-flash"),
    cfg_scale: field(numberOf(1, 10)),
  }),
  "audio/stable-audio-2/text-to-audio": v.pipe(
    SOUND as v.GenericSchema<unknown, { readonly model?: string; readonly steps?: string }>,
    v.check(hasSteps, "steps must be at most 8"),
  ),
}

const ANY_FORM: BodySchema = v.looseObject({})

/** By the name of a service that makes images of a text, or the path of another. */
export function toFormSchema(service: string): BodySchema {
  return FORMS[service] ?? ANY_FORM
}
