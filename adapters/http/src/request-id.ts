/**
 * Names for requests, so that a caller's report finds our log line. They are random: a number that
 * rises would tell every stranger how many requests the process has had.
 */
const ID_BYTES = 12
/** So many ids are made of one call for random bytes, which costs more than the rest. */
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
    let id = "req_"
    for (const end = at + ID_BYTES; at < end; at += 1) id += HEX[random[at] ?? 0]
    return id
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))
