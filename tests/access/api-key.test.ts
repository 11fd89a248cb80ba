/** API keys: round trip, and that the checksum alone refuses every single-character slip. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createApiKeyParts, formatApiKey, parseApiKey } from "@safelight/access"
import * as fc from "fast-check"
import { check } from "../core/support/property.ts"

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const digits = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...BASE62.split("")), minLength: length, maxLength: length })
const parts = fc.record({ id: digits(10), secret: digits(32) }, { noNullPrototype: true })

/** CRC-32 bit by bit, as IEEE 802.3 writes it; core uses a table. */
function slowCrc32(text: string): number {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

describe("an API key", () => {
  it("reads back as its parts", (t) => {
    const property = fc.property(parts, (value) => {
      const key = formatApiKey(value)
      assert.match(key, /^sl_live_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$/)
      assert.deepEqual(parseApiKey(key), value)
    })
    check(t, property)
  })

  it("ends in the CRC-32 of all before it, as six base62 digits", (t) => {
    const property = fc.property(parts, (value) => {
      const key = formatApiKey(value)
      const body = key.slice(0, -6)
      const sum = Array.from(key.slice(-6)).reduce(
        (total, digit) => total * 62 + BASE62.indexOf(digit),
        0,
      )
      assert.equal(sum, slowCrc32(body))
    })
    check(t, property)
    assert.equal(slowCrc32("123456789"), 0xcbf43926, "the published check value")
  })

  it("is refused with any one character changed", (t) => {
    const characters = Array.from(`${BASE62}_-+ é`)
    const property = fc.property(parts, (value) => {
      const key = formatApiKey(value)
      for (let place = 0; place < key.length; place += 1) {
        for (const character of characters) {
          if (character === key[place]) continue
          const changed = `${key.slice(0, place)}${character}${key.slice(place + 1)}`
          assert.equal(parseApiKey(changed), undefined, `${character} at ${place}`)
        }
      }
    })
    check(t, property, 10)
  })

  it("is refused with a character too few or too many, or two neighbours exchanged", (t) => {
    const property = fc.property(parts, fc.nat({ max: 55 }), (value, place) => {
      const key = formatApiKey(value)
      assert.equal(parseApiKey(`${key.slice(0, place)}${key.slice(place + 1)}`), undefined)
      assert.equal(parseApiKey(`${key.slice(0, place)}0${key.slice(place)}`), undefined)
      const [one, other] = [key[place] ?? "", key[place + 1] ?? ""]
      const exchanged = `${key.slice(0, place)}${other}${one}${key.slice(place + 2)}`
      if (exchanged !== key) assert.equal(parseApiKey(exchanged), undefined)
    })
    check(t, property)
  })

  it("is refused with anything around it", () => {
    const key = formatApiKey({ id: "0123456789", secret: "a".repeat(32) })
    for (const form of [` ${key}`, `${key} `, `${key}\n`, `Bearer ${key}`, key.toUpperCase(), ""]) {
      assert.equal(parseApiKey(form), undefined, JSON.stringify(form))
    }
  })
})

describe("the parts of a new key", () => {
  it("use every digit equally often, dropping the bytes that would favour some", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const { id, secret } = createApiKeyParts(bytes)
    assert.equal(`${id}${secret}`, BASE62.slice(0, 42))
    const high = Uint8Array.from({ length: 300 }, (_, index) => (index % 8) + 248)
    assert.throws(() => createApiKeyParts(high), RangeError, "248 to 255 make no digit")
    const counts = new Map<string, number>()
    for (let byte = 0; byte < 248; byte += 1) {
      const digit = createApiKeyParts(new Uint8Array(42).fill(byte)).id[0] as string
      counts.set(digit, (counts.get(digit) ?? 0) + 1)
    }
    assert.deepEqual([...new Set(counts.values())], [4])
    assert.equal(counts.size, 62)
  })

  it("take 42 usable bytes and refuse fewer", () => {
    assert.ok(createApiKeyParts(new Uint8Array(42)))
    assert.throws(() => createApiKeyParts(new Uint8Array(41)), RangeError)
  })
})
