/**
 * `Safelight-Hops`: how many services like this one have passed a request on. A stranger may say
 * anything here; a lower number than is true can only lengthen a circle that its own operators made.
 */
import { MAX_HOPS } from "@safelight/core"
import { Refusal } from "../errors/refusal.ts"

/** Throws a `Refusal` for more than may be, and for what is no number. */
export function readHops(headers: Headers): number {
  const sent = headers.get("safelight-hops")
  if (sent === null) return 0
  const hops = /^\d{1,9}$/.test(sent) ? Number(sent) : Infinity
  if (hops > MAX_HOPS) throw new Refusal("too_many_hops")
  return hops
}
