/**
 * The bodies of OpenAI's images, by the types of its own client. An edit comes as a form with files, or as JSON with
 * URLs; the form has `image` where the JSON has `images`. `response_format` and `style` belong to models that are gone.
 */
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

const SIZE = v.pipe(v.string(), v.check(isSize, "not a size that is offered"))

const COMMON: Readonly<Record<string, BodySchema>> = {
  background: oneOf("transparent", "opaque", "auto"),
  complexity: oneOf("low", "medium", "high"),
  frame_count: integerOf(1, 100),
  frame_duration_ms: integerOf(1, 60_000),
  model: v.pipe(v.string(), v.nonEmpty()),
  n: integerOf(1, 10),
  output_compression: integerOf(0, 100),
  output_format: oneOf("png", "jpeg", "webp", "gif", "svg"),
  partial_images: integerOf(0, 3),
  quality: oneOf("low", "medium", "high", "xhigh", "max", "auto"),
  safety_identifier: v.string(),
  size: SIZE,
  stream: v.boolean(),
  svg: v.looseObject({}),
  user: v.string(),
}

const PROMPT = textOf(1, 32_000)

export const GENERATION_BODY = bodyOf(
  { prompt: PROMPT },
  { ...COMMON, moderation: oneOf("low", "auto") },
)

const IMAGE = v.union([bodyOf({ image_url: MEDIA_URL }), bodyOf({ file_id: v.string() })])
const FIDELITY = oneOf("high", "low")

export const EDIT_BODY = bodyOf(
  { prompt: PROMPT, images: listOf(IMAGE, 1, 16) },
  { ...COMMON, input_fidelity: FIDELITY, mask: IMAGE },
)

/** A file is `{ name, type, size }`. */
const FILE = v.object({
  type: oneOf("image/png", "image/webp", "image/jpeg"),
  size: integerOf(1, 50 * 1024 * 1024),
})

export const EDIT_FORM = bodyOf(
  { prompt: PROMPT, images: listOf(FILE, 1, 16) },
  { ...COMMON, input_fidelity: FIDELITY, mask: FILE },
)

/** Sides are multiples of 16, no side is over three times the other, and the largest picture is 3840 × 2160. */
function isSize(text: string): boolean {
  if (text === "auto") return true
  const [, width = 0, height = 0] = (/^(\d{2,4})x(\d{2,4})$/.exec(text) ?? []).map(Number)
  const [longest, shortest] = [Math.max(width, height), Math.min(width, height)]
  const isShaped = shortest > 0 && longest <= 3 * shortest
  return isShaped && longest <= 3_840 && shortest <= 2_160 && width % 16 === 0 && height % 16 === 0
}
