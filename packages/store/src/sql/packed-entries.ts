/**
 * Entries of the tree as text. Nearly all tasks are UUIDs and have few events: such a row is base64, with 17 bytes for
 * each entry, which is half of what JSON takes and needs no compression. A row with any other entry is JSON, as all rows
 * from before schema 9 are; it begins with a bracket, which base64 has not.
 */
import type { Codec } from "./columns.ts"

export type Entry = readonly [task: string, version: number]

const UUID_LENGTH = 36
const HYPHENS = [8, 13, 18, 23]

/** Of an entry, in hexadecimal digits: a UUID's 32, and 2 of the version. */
const ENTRY_DIGITS = 34
const MOST_VERSION = 0xff

export const PACKED_ENTRIES: Codec = {
  toSql: (entries: readonly Entry[]) =>
    pack(entries)?.toString("base64") ?? JSON.stringify(entries),
  fromSql: (text: string) => (text.startsWith("[") ? JSON.parse(text) : unpack(text)),
}

/** Undefined if there is an entry that it has no room for. */
function pack(entries: readonly Entry[]): Buffer | undefined {
  if (!entries.every(hasRoom)) return undefined
  const digits = entries.map(([task, version]) => toDigits(task, version)).join("")
  // What is no digit ends it.
  const bytes = Buffer.from(digits, "hex")
  return bytes.length * 2 === digits.length && digits === digits.toLowerCase() ? bytes : undefined
}

function hasRoom([task, version]: Entry): boolean {
  return (
    version <= MOST_VERSION &&
    task.length === UUID_LENGTH &&
    HYPHENS.every((place) => task[place] === "-")
  )
}

function toDigits(task: string, version: number): string {
  const [one, two, three] = [task.slice(0, 8), task.slice(9, 13), task.slice(14, 18)]
  const last = version.toString(16).padStart(2, "0")
  return `${one}${two}${three}${task.slice(19, 23)}${task.slice(24)}${last}`
}

function unpack(text: string): readonly Entry[] {
  const digits = Buffer.from(text, "base64").toString("hex")
  return Array.from({ length: digits.length / ENTRY_DIGITS }, (_, index) =>
    fromDigits(digits.slice(index * ENTRY_DIGITS, (index + 1) * ENTRY_DIGITS)),
  )
}

function fromDigits(digits: string): Entry {
  const [one, two, three] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16)]
  const task = `${one}-${two}-${three}-${digits.slice(16, 20)}-${digits.slice(20, 32)}`
  return [task, Number.parseInt(digits.slice(32), 16)]
}
