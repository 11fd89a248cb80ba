/**
 * The many ways to write one JSON value, and ways to break its bytes. The same seed writes the same
 * text, and 0 writes it plainly, so that a failing request shrinks to one that can be read.
 */
import * as fc from "fast-check"
import { createRandom, type Random } from "../../support/seeded-random.ts"

const SPACES = ["", "", "", " ", "\n\t", "\r\n  "]

export interface ByteFault {
  readonly kind: "replace" | "insert" | "remove" | "truncate" | "repeat"
  /** Where, as a share of the length. */
  readonly place: number
  readonly byte: number
}

export const BYTE_FAULT: fc.Arbitrary<ByteFault> = fc.record({
  kind: fc.constantFrom("replace", "insert", "remove", "truncate", "repeat"),
  place: fc.float({ min: 0, max: Math.fround(0.999), noNaN: true }),
  // Bytes that mean something to JSON, HTTP or UTF-8 come up more often than by chance.
  byte: fc.oneof(
    fc.constantFrom(...Buffer.from('"\\{}[]:,0-.eE \r\n\0'), 0xc0, 0xed, 0xff, 0x80),
    fc.nat({ max: 255 }),
  ),
})

/** `value` as JSON text in the style of `seed`, with now and then a name that stands twice. */
export function writeJson(value: unknown, seed: number): string {
  return seed === 0 ? JSON.stringify(value) : write(value, createRandom(seed))
}

function write(value: unknown, random: Random): string {
  const space = (): string => pick(SPACES, random)
  if (typeof value === "string") return writeString(value, random)
  if (typeof value === "number") return writeNumber(value, random)
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => `${space()}${write(item, random)}${space()}`)
    return `[${items.length === 0 ? space() : items.join(",")}]`
  }
  const entries = Object.entries(value).toSorted(() => random() - 0.5)
  const [first] = entries
  if (first !== undefined && random() < 0.01) entries.push(first)
  const members = entries.map(([name, member]) => {
    return `${space()}${writeString(name, random)}${space()}:${space()}${write(member, random)}`
  })
  return `{${members.length === 0 ? space() : members.join(`${space()},`)}${space()}}`
}

function writeString(text: string, random: Random): string {
  const style = random()
  if (style < 0.7) return JSON.stringify(text)
  // Every second unit or every unit as an escape, in either case of letters.
  const units = Array.from({ length: text.length }, (_, index) => {
    const hex = text.charCodeAt(index).toString(16).padStart(4, "0")
    return `\\u${index % 2 === 0 ? hex.toUpperCase() : hex}`
  })
  return `"${units.join("")}"`
}

/** 4 is 4.0, 4e0, 40E-1 and 0.4e+1 as well. */
function writeNumber(value: number, random: Random): string {
  if (!Number.isInteger(value) || Math.abs(value) > 1e6) return String(value)
  const spellings = [`${value}`, `${value}.0`, `${value}e0`, `${value}0E-1`, `${value}.000e+0`]
  return Object.is(value, -0) ? "-0" : pick(spellings, random)
}

function pick(values: readonly string[], random: Random): string {
  return values[Math.floor(random() * values.length)] ?? ""
}

export function breakBytes(bytes: Uint8Array, faults: readonly ByteFault[]): Uint8Array {
  return faults.reduce<Uint8Array>(breakOnce, bytes)
}

function breakOnce(bytes: Uint8Array, { kind, place, byte }: ByteFault): Uint8Array {
  const at = Math.floor(place * bytes.length)
  const before = bytes.subarray(0, at)
  const behind = bytes.subarray(at)
  switch (kind) {
    case "replace":
      return Buffer.concat([before, Uint8Array.of(byte), behind.subarray(1)])
    case "insert":
      return Buffer.concat([before, Uint8Array.of(byte), behind])
    case "remove":
      return Buffer.concat([before, behind.subarray(1)])
    case "truncate":
      return Buffer.from(before)
    case "repeat":
      return Buffer.concat([before, behind.subarray(0, byte), behind])
  }
}
