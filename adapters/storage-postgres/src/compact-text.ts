/**
 * Compact texts as `bytea`: a UUID in lower case is its 16 bytes, 64 hexadecimal digits in lower case are
 * the 32 bytes that they stand for, and any other text is its UTF-8, with 0xff behind it if that has 16 or
 * 32 bytes too: a byte that no UTF-8 has. So no two texts share their bytes, and UUIDs keep their order.
 */
import type { Codec } from "@safelight/store"

const UUID_BYTES = 16
const UUID_LENGTH = 36
const SHA256_BYTES = 32
const SHA256_LENGTH = 64
const END = 0xff

/** Bytes that a text takes at most. */
export function measureCompact(text: string): number {
  return Buffer.byteLength(text) + 1
}

/** Writes the bytes of `text` at `at`, and tells how many there are. */
export function writeCompact(buffer: Buffer, text: string, at: number): number {
  if (text.length === UUID_LENGTH && writeUuid(buffer, text, at)) return UUID_BYTES
  if (text.length === SHA256_LENGTH && writeSha256(buffer, text, at)) return SHA256_BYTES
  const length = buffer.write(text, at)
  if (length !== UUID_BYTES && length !== SHA256_BYTES) return length
  buffer[at + length] = END
  return length + 1
}

/** As a value is bound and read by itself: `\x` and hexadecimal digits. */
export const COMPACT_TEXT: Codec = {
  toSql(text: string) {
    const buffer = Buffer.allocUnsafe(measureCompact(text))
    return `\\x${buffer.toString("hex", 0, writeCompact(buffer, text, 0))}`
  },
  fromSql: (bytea: string) => fromCompactDigits(bytea.slice(2)),
}

/** The text that bytes stand for, which are given as hexadecimal digits. */
export function fromCompactDigits(digits: string): string {
  if (digits.length === SHA256_LENGTH) return digits
  if (digits.length === 2 * UUID_BYTES) return toUuid(digits)
  const bytes = Buffer.from(digits, "hex")
  return bytes.toString("utf8", 0, bytes.length - Number(bytes.at(-1) === END))
}

/** False if the text is none. */
function writeSha256(buffer: Buffer, text: string, at: number): boolean {
  // It stops at what is no digit.
  return buffer.write(text, at, "hex") === SHA256_BYTES && !UPPER_CASE.test(text)
}

const UPPER_CASE = /[A-F]/

/**
 * False if the text is none. By hand: a regular expression and a text without hyphens would cost twice as
 * much.
 */
function writeUuid(buffer: Buffer, text: string, start: number): boolean {
  let at = start
  let faults = 0
  for (let place = 0; place < text.length; place += 2) {
    if (place === 8 || place === 13 || place === 18 || place === 23) {
      faults |= text.charCodeAt(place) ^ HYPHEN
      place += 1
    }
    const byte = (toDigit(text.charCodeAt(place)) << 4) | toDigit(text.charCodeAt(place + 1))
    faults |= byte & ~0xff
    buffer[at] = byte
    at += 1
  }
  return faults === 0
}

const HYPHEN = 45

/** By its code; negative for what is no hexadecimal digit in lower case. */
const DIGITS = new Int8Array(128).fill(-1)
for (const [value, digit] of Object.entries("0123456789abcdef"))
  DIGITS[digit.charCodeAt(0)] = Number(value)

function toDigit(code: number): number {
  return DIGITS[code] ?? -1
}

function toUuid(digits: string): string {
  const [one, two, three] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16)]
  return `${one}-${two}-${three}-${digits.slice(16, 20)}-${digits.slice(20)}`
}
