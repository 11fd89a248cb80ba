/**
 * Where a text stops being JSON (RFC 8259). `JSON.parse` tells it in words that differ by engine
 * and quote the input, so a refused text is walked a second time here. Only refused texts are.
 */
const WHITESPACE = /[ \t\n\r]*/y
/** A run of a string's characters that need no look of their own. */
// oxlint-disable-next-line no-control-regex -- JSON forbids them bare in a string
const PLAIN = /[^"\\\u0000-\u001f]*/y
const LITERALS = ["true", "false", "null"]
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const HEX = /^[0-9a-fA-F]{4}$/

/** What may stand next, once whitespace is skipped. */
type Expected =
  | "value"
  | "value-or-end"
  | "name"
  | "name-or-end"
  | "colon"
  | "comma-or-end"
  | "nothing"

interface Walk {
  readonly text: string
  at: number
  expected: Expected
  /** Closing brackets that are owed. */
  readonly owed: string[]
}

/** The index of the first character that can't stand where it does; the length where the text ends too early; -1 for JSON. */
export function findJsonFault(text: string): number {
  const walk: Walk = { text, at: 0, expected: "value", owed: [] }
  for (;;) {
    skip(walk, WHITESPACE)
    if (walk.at >= text.length) return walk.expected === "nothing" ? -1 : text.length
    const next = step(walk)
    if (next === undefined) return walk.at
    walk.expected = next
  }
}

/** Moves past what a sticky pattern takes, perhaps nothing. */
function skip(walk: Walk, pattern: RegExp): void {
  pattern.lastIndex = walk.at
  pattern.test(walk.text)
  walk.at = pattern.lastIndex
}

/** Moves past one token; undefined where it can't stand here, and then `at` is its fault. */
function step(walk: Walk): Expected | undefined {
  const char = walk.text.charAt(walk.at)
  switch (walk.expected) {
    case "nothing":
      return undefined
    case "colon":
      return take(walk, char === ":", "value")
    case "comma-or-end":
      if (char === walk.owed.at(-1)) return close(walk)
      return take(walk, char === ",", walk.owed.at(-1) === "}" ? "name" : "value")
    case "name":
      return takeString(walk, char, "colon")
    case "name-or-end":
      return char === "}" ? close(walk) : takeString(walk, char, "colon")
    case "value-or-end":
      return char === "]" ? close(walk) : takeValue(walk, char)
    case "value":
      return takeValue(walk, char)
  }
}

function take(walk: Walk, isRight: boolean, next: Expected): Expected | undefined {
  if (!isRight) return undefined
  walk.at += 1
  return next
}

function close(walk: Walk): Expected {
  walk.owed.pop()
  walk.at += 1
  return afterValue(walk)
}

function afterValue(walk: Walk): Expected {
  return walk.owed.length === 0 ? "nothing" : "comma-or-end"
}

function takeValue(walk: Walk, char: string): Expected | undefined {
  if (char === "{" || char === "[") {
    walk.owed.push(char === "{" ? "}" : "]")
    walk.at += 1
    return char === "{" ? "name-or-end" : "value-or-end"
  }
  if (char === '"') return takeString(walk, char, afterValue(walk))
  const literal = LITERALS.find((word) => walk.text.startsWith(word, walk.at))
  if (literal !== undefined) {
    walk.at += literal.length
    return afterValue(walk)
  }
  NUMBER.lastIndex = walk.at
  if (!NUMBER.test(walk.text)) return undefined
  walk.at = NUMBER.lastIndex
  return afterValue(walk)
}

function takeString(walk: Walk, char: string, next: Expected): Expected | undefined {
  if (char !== '"') return undefined
  walk.at += 1
  for (;;) {
    skip(walk, PLAIN)
    const inside = walk.text.charAt(walk.at)
    if (inside === '"') break
    const length = inside === "\\" ? escapeLength(walk.text, walk.at) : 0
    if (length === 0) return undefined
    walk.at += length
  }
  walk.at += 1
  return next
}

function escapeLength(text: string, at: number): number {
  const kind = text.charAt(at + 1)
  if (kind === "u") return HEX.test(text.slice(at + 2, at + 6)) ? 6 : 0
  return kind !== "" && '"\\/bfnrt'.includes(kind) ? 2 : 0
}
