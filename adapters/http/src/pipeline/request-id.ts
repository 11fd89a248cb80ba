/**
 * Names for requests, so that a caller's report finds our log line. They are random: a number that rises
 * would tell every stranger how many requests the process has had.
 */
import { toHex } from "@safelight/core"

const ID_BYTES = 12
/** A call for random bytes costs more than the rest of an id, so it is made for many of them. */
const IDS_AT_ONCE = 256

/** A function that returns `req_<24 hex digits>`. */
export function createRequestIds(): () => string {
  const random = new Uint8Array(ID_BYTES * IDS_AT_ONCE)
  let at = random.length
  return () => {
    if (at === random.length) {
      crypto.getRandomValues(random)
      at = 0
    }
    const start = at
    at += ID_BYTES
    return `req_${toHex(random.subarray(start, at))}`
  }
}
