/**
 * What a creation body must be, told a second time and differently from the service: one recursive
 * reading of the text that keeps every name. Slow and plain, for the service's own reader skips
 * through text by index and leaves the rest to `JSON.parse`.
 */
import { isUtf8 } from "node:buffer"

/** http-decisions §2. */
const MAX_DEPTH = 32
const MAX_NODES = 10_000

export type StrictJson =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "refused"; readonly codes: readonly string[] }

interface Reading {
  readonly text: string
  at: number
  nodes: number
  hasDuplicate: boolean
}

class NotJson extends Error {}
class TooComplex extends Error {}

export function readStrictJson(bytes: Uint8Array): StrictJson {
  if (!isUtf8(bytes)) return { kind: "refused", codes: ["invalid_json"] }
  const text = Buffer.from(bytes)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
  const reading: Reading = { text, at: 0, nodes: 0, hasDuplicate: false }
  try {
    const value = readValue(reading, 1)
    skipSpace(reading)
    if (reading.at < text.length) throw new NotJson()
    return reading.hasDuplicate
      ? { kind: "refused", codes: ["duplicate_key"] }
      : { kind: "value", value }
  } catch (error) {
    if (error instanceof TooComplex) {
      // Where the text is broken behind this point too, either word is true.
      return { kind: "refused", codes: ["json_too_complex", "invalid_json"] }
    }
    if (!(error instanceof NotJson)) throw error
    return { kind: "refused", codes: ["invalid_json", "json_too_complex"] }
  }
}

function readValue(reading: Reading, depth: number): unknown {
  skipSpace(reading)
  reading.nodes += 1
  if (reading.nodes > MAX_NODES) throw new TooComplex()
  const char = reading.text[reading.at]
  if (char === "{" || char === "[") {
    if (depth > MAX_DEPTH) throw new TooComplex()
    reading.at += 1
    return char === "{" ? readObject(reading, depth) : readArray(reading, depth)
  }
  if (char === '"') return readString(reading)
  return readToken(reading, /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y)
}

function readObject(reading: Reading, depth: number): object {
  const members: [string, unknown][] = []
  const names = new Set<string>()
  if (tryTake(reading, "}")) return {}
  do {
    skipSpace(reading)
    const name = readString(reading)
    if (names.has(name)) reading.hasDuplicate = true
    names.add(name)
    if (!tryTake(reading, ":")) throw new NotJson()
    members.push([name, readValue(reading, depth + 1)])
  } while (tryTake(reading, ","))
  if (!tryTake(reading, "}")) throw new NotJson()
  return Object.fromEntries(members)
}

function readArray(reading: Reading, depth: number): unknown[] {
  const items: unknown[] = []
  if (tryTake(reading, "]")) return items
  do items.push(readValue(reading, depth + 1))
  while (tryTake(reading, ","))
  if (!tryTake(reading, "]")) throw new NotJson()
  return items
}

function readString(reading: Reading): string {
  // No flag `u`: a lone surrogate is a character like any other here.
  // oxlint-disable-next-line no-control-regex
  const string = /"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y
  return readToken(reading, string) as string
}

/** A token that `JSON.parse` is trusted with once its form is known. */
function readToken(reading: Reading, form: RegExp): unknown {
  form.lastIndex = reading.at
  const [token] = form.exec(reading.text) ?? []
  if (token === undefined) throw new NotJson()
  reading.at += token.length
  return JSON.parse(token) as unknown
}

function tryTake(reading: Reading, char: string): boolean {
  skipSpace(reading)
  if (reading.text[reading.at] !== char) return false
  reading.at += 1
  return true
}

function skipSpace(reading: Reading): void {
  while (" \t\n\r".includes(reading.text[reading.at] ?? "x")) reading.at += 1
}
