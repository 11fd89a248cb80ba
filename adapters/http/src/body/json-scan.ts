/**
 * Scans a JSON text once before it is parsed: how deep it is, how many values it has, and whether an
 * object names a member twice, which `JSON.parse` hides. If the text is not JSON, only `too-complex`
 * means something, and `JSON.parse` refuses it afterwards. Strings are skipped by `indexOf`, so megabytes
 * of base64 cost next to nothing.
 */
export type JsonStructure = "plain" | "duplicate" | "too-complex"

export interface JsonBounds {
  readonly depth: number
  readonly nodes: number
}

/** Far above any request of the three models, and little enough to check at once. */
export const JSON_BOUNDS: JsonBounds = { depth: 32, nodes: 10_000 }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a

interface Scan {
  readonly text: string
  readonly bounds: JsonBounds
  /** Names seen in each open object; null for an array. */
  readonly open: (Set<string> | null)[]
  isName: boolean
  nodes: number
  hasDuplicate: boolean
}

/** A value is a node, names are not; the outermost container has depth 1. */
export function scanJson(text: string, bounds: JsonBounds = JSON_BOUNDS): JsonStructure {
  const scan: Scan = { text, bounds, open: [], isName: false, nodes: 0, hasDuplicate: false }
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code <= 0x20 || code === COLON) continue
    if (code === QUOTE) at = skipString(scan, at)
    else if (code === COMMA) scan.isName = (scan.open.at(-1) ?? null) !== null
    else if (!takeBracket(scan, code)) at = skipScalar(scan, at)
    if (scan.nodes > bounds.nodes || scan.open.length > bounds.depth) return "too-complex"
  }
  return scan.hasDuplicate ? "duplicate" : "plain"
}

function takeBracket(scan: Scan, code: number): boolean {
  // { and [ differ from } and ] by 2; bit 0x20 tells braces from square brackets.
  const square = code & ~0x20
  if (square !== 0x5b && square !== 0x5d) return false
  const isObject = code !== square
  if (square === 0x5b) {
    scan.open.push(isObject ? new Set() : null)
    scan.nodes += 1
  } else scan.open.pop()
  scan.isName = square === 0x5b && isObject
  return true
}

/** The index of the closing quote, or the length of the text if there is none. */
function skipString(scan: Scan, start: number): number {
  const { text } = scan
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, start, end)) end = text.indexOf('"', end + 1)
  if (end === -1) end = text.length
  if (scan.isName) takeName(scan, text.slice(start + 1, end))
  else scan.nodes += 1
  return end
}

function isEscaped(text: string, start: number, quote: number): boolean {
  let at = quote - 1
  while (at > start && text.charCodeAt(at) === BACKSLASH) at -= 1
  return (quote - 1 - at) % 2 === 1
}

function takeName(scan: Scan, raw: string): void {
  const names = scan.open.at(-1)
  scan.isName = false
  if (names === null || names === undefined) return
  const name = raw.includes("\\") ? unescapeName(raw) : raw
  if (names.has(name)) scan.hasDuplicate = true
  names.add(name)
  // In JSON every name has a value; a text of names alone is not JSON and must not fill the memory.
  if (names.size > scan.bounds.nodes) scan.nodes = Infinity
}

/** `"a"` and `"\u0061"` are the same name. */
function unescapeName(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    // Not a JSON string, so the whole text is not JSON: the parser will refuse it.
    return raw
  }
}

/** The index of the last character of a number or a literal. */
function skipScalar(scan: Scan, start: number): number {
  const { text } = scan
  scan.nodes += 1
  let at = start + 1
  while (at < text.length && isScalarPart(text.charCodeAt(at))) at += 1
  return at - 1
}

function isScalarPart(code: number): boolean {
  const square = code & ~0x20
  const isBracket = square === 0x5b || square === 0x5d
  return code > 0x20 && code !== COMMA && code !== COLON && code !== QUOTE && !isBracket
}
