/**
 * Long strings of a value that stand in its JSON text as they are, told by their place in it. To
 * hand both to another thread costs copying the text alone: there the strings are parts of it,
 * which the engine makes without copying. What can't be told so stays a string.
 */

/** Below, a place would cost more than the string. */
const LONG_CHARACTERS = 64 * 1024
/** Only a string's beginning is searched for: a search for all of it could be made quadratic. */
const PROBE_CHARACTERS = 32
// oxlint-disable-next-line no-control-regex -- JSON escapes them
const ESCAPED = /["\\\u0000-\u001f]/

/** `value` with places instead of strings; `text` is its canonical JSON, members in this order. */
export function toPlaces(value: unknown, text: string): unknown {
  let from = 0
  return mapLeaves(value, (leaf) => {
    if (typeof leaf !== "string" || leaf.length < LONG_CHARACTERS) return leaf
    const probe = leaf.slice(0, PROBE_CHARACTERS)
    const at = ESCAPED.test(probe) ? -1 : text.indexOf(probe, from)
    if (at === -1) return leaf
    // Never backwards, whatever comes of it: all searches together read the text once.
    from = at + 1
    if (!text.startsWith(leaf, at)) return leaf
    from = at + leaf.length
    return Uint32Array.of(at, from)
  })
}

/** The value that `toPlaces` was given, from what it returned and the same text. */
export function fromPlaces(value: unknown, text: string): unknown {
  return mapLeaves(value, (leaf) =>
    // No JSON value is one, so nothing else is taken for a place.
    leaf instanceof Uint32Array ? text.slice(leaf[0], leaf[1]) : leaf,
  )
}

/** A copy of plain arrays and objects with everything else replaced. */
function mapLeaves(value: unknown, map: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, map))
  if (typeof value !== "object" || value === null || value instanceof Uint32Array) return map(value)
  const members = Object.entries(value).map(([name, member]) => [name, mapLeaves(member, map)])
  return Object.fromEntries(members) as unknown
}
