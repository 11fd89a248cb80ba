/**
 * API keys: `sl_live_<10 base62 id>_<32 base62 secret><6 base62 CRC-32>` (http-decisions §7). Only
 * the id and a SHA-256 of the secret are stored. The checksum is checked before the database is.
 */
import { BASE62, toBase62Digits } from "./base62.ts"
import { crc32 } from "./crc32.ts"

const PATTERN = /^sl_live_([0-9A-Za-z]{10})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

export interface ApiKeyParts {
  /** 10 base62 digits; not secret. */
  readonly id: string
  /** 32 base62 digits. */
  readonly secret: string
}

/**
 * Makes a key from random bytes, of which 42 must be below 248: pass 96 or more. Throws a RangeError on
 * too few.
 */
export function createApiKeyParts(randomBytes: Uint8Array): ApiKeyParts {
  const digits = toBase62Digits(randomBytes)
  if (digits.length < 42) throw new RangeError("too few random bytes for an API key")
  return { id: digits.slice(0, 10), secret: digits.slice(10, 42) }
}

export function formatApiKey({ id, secret }: ApiKeyParts): string {
  const body = `sl_live_${id}_${secret}`
  return `${body}${toChecksum(body)}`
}

/** The parts of a key, or undefined if its form or checksum is wrong. */
export function parseApiKey(key: string): ApiKeyParts | undefined {
  const [, id, secret, checksum] = PATTERN.exec(key) ?? []
  if (id === undefined || secret === undefined) return undefined
  return toChecksum(`sl_live_${id}_${secret}`) === checksum ? { id, secret } : undefined
}

function toChecksum(body: string): string {
  let rest = crc32(body)
  let digits = ""
  for (let place = 0; place < 6; place += 1) {
    digits = `${BASE62[rest % 62]}${digits}`
    rest = Math.floor(rest / 62)
  }
  return digits
}
