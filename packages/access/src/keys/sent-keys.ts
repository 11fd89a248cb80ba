/**
 * The key of a header with its hash. A client sends the same key with each request of a connection, so
 * a verified one is hashed once: it is kept with the connection, in the clear, and no longer.
 */
import type { Credentials } from "@safelight/core"
import { sha256 } from "../sha256.ts"

/** A key as a header has it, whatever it is worth. */
export interface SentKey {
  readonly header: string
  readonly text: string
  /** Where a key has its id. */
  readonly id: string
  /** Of the whole key. */
  readonly keySha256: string
}

/** Undefined for a header that holds no key; answers at once where it can. */
export type ReadSentKey = (
  header: string,
  connection: Credentials["connection"],
) => SentKey | undefined | Promise<SentKey>

const KEY_START = "sl_live_"
const COMMON_START = `Bearer ${KEY_START}`
const BEARER = /^bearer +([^\s,]+)$/i
const ID_AT = KEY_START.length
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
    if (text === undefined) return undefined
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

function readBearer(header: string): string | undefined {
  // As nearly all write it; whether that is a key is for the key's own check.
  if (header.startsWith(COMMON_START)) return header.slice(COMMON_START.length - KEY_START.length)
  return BEARER.exec(header)?.[1]
}
