/**
 * Evaluates a Range header (RFC 9110 §14.2) for a size. A header that a server may ignore is ignored, and
 * the whole is sent; only a valid set of ranges that all lie outside is unsatisfiable. The table of
 * http-decisions §5 says which is which, and the tests hold this module to it row by row.
 */
export interface ByteRange {
  /** From 0. */
  readonly start: number
  /** Inclusive. */
  readonly end: number
}

export type RangeResult =
  | { readonly kind: "ignored" }
  | { readonly kind: "unsatisfiable" }
  /** At least one; in the order asked for, with no two that could be one. */
  | { readonly kind: "satisfiable"; readonly ranges: readonly ByteRange[] }

/** Beyond these a request is more likely an attack than a reader (RFC 9110 §17.15). */
const MAX_HEADER_CHARACTERS = 4_096
const MAX_RANGES = 50
const MAX_OVERLAPPING = 2
/** About what a part's own headers take: a smaller gap is cheaper sent. */
const GAP_BYTES = 128

const SPEC = /^(?:(\d+)-(\d*)|-(\d+))$/
const IGNORED = { kind: "ignored" } as const

export function evaluateRange(header: string, bytes: number): RangeResult {
  const specs = parseSpecs(header)
  if (specs === undefined || specs.length > MAX_RANGES) return IGNORED
  const ranges: ByteRange[] = []
  for (const spec of specs) {
    const range = toRange(spec, bytes)
    if (range === "invalid") return IGNORED
    if (range !== "unsatisfiable") ranges.push(range)
  }
  if (ranges.length === 0) return { kind: "unsatisfiable" }
  if (isAbusive(ranges, bytes)) return IGNORED
  return { kind: "satisfiable", ranges: coalesce(ranges) }
}

/** The members of the list; empty ones count for nothing (RFC 9110 §5.6.1.2). */
function parseSpecs(header: string): string[] | undefined {
  const isBytes = /^bytes=[^ \t]/i.test(header)
  if (!isBytes || header.length > MAX_HEADER_CHARACTERS) return undefined
  const members = header.slice("bytes=".length).split(",")
  const specs = members.map((member) => member.replace(/^[ \t]+|[ \t]+$/g, "")).filter(Boolean)
  return specs.length === 0 ? undefined : specs
}

function toRange(spec: string, bytes: number): ByteRange | "invalid" | "unsatisfiable" {
  const [whole, first, last, suffix] = SPEC.exec(spec) ?? []
  if (whole === undefined) return "invalid"
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), bytes)
    return length === 0 ? "unsatisfiable" : { start: bytes - length, end: bytes - 1 }
  }
  if (first === undefined || (last !== "" && BigInt(first) > BigInt(last ?? ""))) return "invalid"
  // Above 2^53 a number is no longer exact, but it is larger than every size all the same.
  if (Number(first) >= bytes) return "unsatisfiable"
  return { start: Number(first), end: last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1) }
}

function isAbusive(ranges: readonly ByteRange[], bytes: number): boolean {
  if (ranges.length === 1) return false
  const total = ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0)
  if (total > bytes) return true
  const overlapping = ranges.filter((range) =>
    ranges.some((other) => other !== range && other.start <= range.end && range.start <= other.end),
  )
  return overlapping.length > MAX_OVERLAPPING
}

interface Placed extends ByteRange {
  /** The position of its first member in the header. */
  readonly position: number
}

/** Joins what overlaps or nearly touches; the rest keeps its order (RFC 9110 §15.3.7.2). */
function coalesce(ranges: readonly ByteRange[]): ByteRange[] {
  const placed = ranges.map(({ start, end }, position) => ({ start, end, position }))
  const joined: Placed[] = []
  for (const range of placed.toSorted((left, right) => left.start - right.start)) {
    const before = joined.at(-1)
    if (before === undefined || range.start - before.end - 1 >= GAP_BYTES) joined.push(range)
    else joined[joined.length - 1] = join(before, range)
  }
  const ordered = joined.toSorted((left, right) => left.position - right.position)
  return ordered.map(({ start, end }) => ({ start, end }))
}

function join(left: Placed, right: Placed): Placed {
  return {
    start: left.start,
    end: Math.max(left.end, right.end),
    position: Math.min(left.position, right.position),
  }
}
