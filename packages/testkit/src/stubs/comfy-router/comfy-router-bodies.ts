/**
 * What Comfy Router passes on: the native body of the provider behind it, without the model's name, which is in the
 * path.
 */
import * as v from "valibot"
import { PASSED_ON_FILM, PASSED_ON_PICTURE } from "../ark/ark-bodies.ts"
import { bodyOf, integerOf, oneOf, textOf, type BodySchema } from "../frame/body-fault.ts"

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

const BODIES: Readonly<Record<string, BodySchema>> = {
  "recraft/recraftv4_1": RECRAFT,
  "byteplus/seedream-5-0-pro-260628": PASSED_ON_PICTURE,
  "byteplus/dreamina-seedance-2-5-260628": PASSED_ON_FILM,
}

/** Any other model's body is taken as it is. */
export function toPassedOnSchema(model: string): BodySchema {
  return BODIES[model] ?? v.looseObject({})
}
