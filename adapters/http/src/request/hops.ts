/**
 * `Safelight-Hops`: how many services like this one have passed a request on. A stranger may say
 * anything here; a lower number than is true can only lengthen a circle that its own operators made.
 */
import { MAX_HOPS } from "@safelight/core"
import { toRefuse } from "../errors/refusal.ts"
import type { HeaderParameter } from "./header-parameters.ts"

const REFUSALS = ["too_many_hops"] as const
const refuse = toRefuse(REFUSALS)

/** 0 if none was sent; refused above `MAX_HOPS`, and if it is not a whole number. */
export const hops: HeaderParameter<number> = {
  description:
    "How many services of this kind have passed the request on, sent by such a service alone. " +
    `Past ${MAX_HOPS} it is refused, so that services that name each other make no tasks without end.`,
  schema: { type: "integer", minimum: 0, maximum: MAX_HOPS },
  refusals: REFUSALS,
  absent: 0,
  parse(sent) {
    const number = /^\d{1,9}$/.test(sent) ? Number(sent) : Infinity
    if (number > MAX_HOPS) throw refuse("too_many_hops")
    return number
  },
}
