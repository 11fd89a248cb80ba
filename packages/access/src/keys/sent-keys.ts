/**
 * The key of a header with its hash. A client sends the same key with each request of a connection, so
 * a verified one is hashed once: it is kept with the connection, in the clear, and no longer.
 */
import { sha256 } from "../sha256.ts"
import { readBearer, refuseKey } from "./key-verifier.ts"

/** A key as a header has it, whatever it is worth. */
export interface SentKey {
  readonly header: string
  readonly text: string
  /** Where a key has its id. */
  readonly id: string
  /** Of the whole key. */
  readonly keySha256: string
}

/** Throws a `Refusal` for a header that holds no key; answers at once where it can. */
export type ReadSentKey = (header: string, connection?: object) => SentKey | Promise<SentKey>

const ID_AT = "sl_live_".length
const ID_CHARACTERS = 10

/** Of what is not verified nothing is kept. */
export function createSentKeys(options: {
  readonly isVerified: (sent: SentKey) => boolean
}): ReadSentKey {
  const sentLast = new WeakMap<object, SentKey>()

  return (header, connection) => {
    const last = connection && sentLast.get(connection)
    if (last?.header === header) return last
    const text = readBearer(header)
    if (text === undefined) throw refuseKey("invalid_api_key")
    const id = text.slice(ID_AT, ID_AT + ID_CHARACTERS)
    const hashed = sha256(text)
    if (typeof hashed !== "string") {
      return hashed.then((keySha256) => ({ header, text, id, keySha256 }))
    }
    const sent = { header, text, id, keySha256: hashed }
    if (connection && options.isVerified(sent)) sentLast.set(connection, sent)
    return sent
  }
}
