/** The bodies of Black Forest Labs, by its API document and the AI SDK's provider for it. */
import * as v from "valibot"
import {
  bodyOf,
  integerOf,
  numberOf,
  oneOf,
  textOf,
  WEB_URL,
  type BodySchema,
} from "../frame/body-fault.ts"

/** A URL, or base64 without the head of a data URL. */
const INPUT = v.pipe(
  v.string(),
  v.regex(/^(?:https?:\/\/.+|[A-Za-z0-9+/]+=*)$/, "neither a URL nor base64"),
)

const SIDE = v.pipe(v.number(), v.integer(), v.minValue(64), v.multipleOf(16))
const MOST_PIXELS = 4 * 1024 * 1024
const RATIO = v.pipe(v.string(), v.regex(/^\d+:\d+$/, "not a ratio"))

const HOOK = { webhook_url: WEB_URL, webhook_secret: v.string() }

const INPUTS = Object.fromEntries(
  ["", "_2", "_3", "_4", "_5", "_6", "_7", "_8"].map((end) => [`input_image${end}`, INPUT]),
)

function imageOf(members: Readonly<Record<string, BodySchema>>): BodySchema {
  return v.pipe(
    bodyOf(
      { prompt: textOf(1, 100_000) },
      {
        ...INPUTS,
        ...HOOK,
        width: SIDE,
        height: SIDE,
        aspect_ratio: RATIO,
        seed: v.pipe(v.number(), v.integer()),
        output_format: oneOf("jpeg", "png"),
        ...members,
      },
    ) as v.GenericSchema<unknown, { readonly width?: number; readonly height?: number }>,
    v.check(({ width = 0, height = 0 }) => width * height <= MOST_PIXELS, "at most 4 megapixels"),
  )
}

const IMAGE = imageOf({
  steps: integerOf(1, 50),
  guidance: numberOf(0, 20),
  prompt_upsampling: v.boolean(),
  safety_tolerance: integerOf(0, 6),
})

const TOLERANCE = { safety_tolerance: integerOf(0, 5) }

/** By model, those whose members are known one by one. */
const MODELS: Readonly<Record<string, BodySchema>> = {
  "flux-2-pro": imageOf(TOLERANCE),
  "flux-2-max": imageOf(TOLERANCE),
  "flux-2-flex": imageOf({
    ...TOLERANCE,
    steps: integerOf(1, 50),
    guidance: numberOf(1.5, 10),
    prompt_upsampling: v.boolean(),
  }),
}

const VIDEO = bodyOf(
  { prompt: v.string() },
  {
    ...HOOK,
    aspect_ratio: RATIO,
    duration: numberOf(1, 20),
    keyframes: v.array(v.unknown()),
    resolution: v.string(),
    seed: v.pipe(v.number(), v.integer()),
    safety_tolerance: integerOf(0, 6),
  },
)

export function toBodySchema(model: string): BodySchema {
  return MODELS[model] ?? (model.includes("video") ? VIDEO : IMAGE)
}
