/**
 * Whether a pattern ends soon on every text that it may be asked of. A regular expression is matched by trying one
 * way after another, so the number of ways times the length of a way is the most steps that it takes. Patterns whose
 * ways can be counted are taken: characters, classes, groups and alternatives, each repeated or not. What can't be
 * counted (a repetition without end of a group, a reference to a group, a look around) is refused.
 */

/** Some milliseconds. */
const MOST_STEPS = 1_000_000
const MOST_REPETITIONS = 1_000_000

class Unsafe extends Error {}

interface Reader {
  readonly source: string
  at: number
  /** The longest text. */
  readonly characters: number
}

/** In words that follow the pattern's pointer; undefined if it ends soon on `times` texts of at most `characters`. */
export function findPatternFault(
  source: string,
  characters: number,
  times = 1,
): string | undefined {
  try {
    RegExp(source, "u")
  } catch (error) {
    return `is no regular expression: ${error instanceof Error ? error.message : String(error)}`
  }
  const reader: Reader = { source, at: 0, characters }
  try {
    const ways = countAlternatives(reader)
    // Without ^ it is tried from each place.
    const starts = /^\^(?!.*\|)/.test(source) ? 1 : characters + 1
    const steps = times * ways * starts * (characters + source.length)
    if (steps <= MOST_STEPS) return undefined
    return `may take ${steps.toExponential(0)} steps, and at most ${MOST_STEPS} are taken: begin it with ^, have fewer repetitions, or lower maxLength and maxItems`
  } catch (error) {
    if (error instanceof Unsafe) return error.message
    throw error
  }
}

function countAlternatives(reader: Reader): number {
  let ways = countSequence(reader)
  while (reader.source[reader.at] === "|") {
    reader.at += 1
    ways += countSequence(reader)
  }
  return ways
}

function countSequence(reader: Reader): number {
  let ways = 1
  while (reader.at < reader.source.length && !"|)".includes(reader.source[reader.at] as string)) {
    ways *= countItem(reader)
  }
  return ways
}

function countItem(reader: Reader): number {
  const isGroup = reader.source[reader.at] === "("
  const ways = isGroup ? countGroup(reader) : skipCharacter(reader)
  const [least, most] = readRepetition(reader)
  if (!isGroup) return (most === Infinity ? reader.characters : most) - least + 1
  if (most === Infinity) throw new Unsafe("repeats a group without end: give it a greatest number")
  return countRepeated(ways, least, most)
}

function countRepeated(ways: number, least: number, most: number): number {
  if (ways === 1) return most - least + 1
  let total = 0
  for (let times = least; times <= most && total <= MOST_STEPS; times += 1) total += ways ** times
  return total
}

function countGroup(reader: Reader): number {
  const start = /^\((?:\?:|\?<[A-Za-z]\w*>|(?!\?))/.exec(reader.source.slice(reader.at))
  if (start === null) throw new Unsafe("looks ahead or back: only groups can be counted")
  reader.at += start[0].length
  const ways = countAlternatives(reader)
  reader.at += 1
  return ways
}

/** A character, class, escape, or the text's beginning or end. */
const CHARACTER =
  /^(?:\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[^1-9k])|\[(?:[^\]\\]|\\.)*\]|[^\\[\]()|*+?{}])/su

function skipCharacter(reader: Reader): 1 {
  const found = CHARACTER.exec(reader.source.slice(reader.at))
  if (found === null) throw new Unsafe("refers to a group, or to something that can't be counted")
  reader.at += found[0].length
  return 1
}

function readRepetition(reader: Reader): readonly [least: number, most: number] {
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.source.slice(reader.at))
  if (found === null) return [1, 1]
  reader.at += found[0].length
  const [sign, least = "", comma, most = ""] = found
  if (sign.startsWith("*")) return [0, Infinity]
  if (sign.startsWith("+")) return [1, Infinity]
  if (sign.startsWith("?")) return [0, 1]
  const bounds = [
    Number(least),
    comma === "" ? Number(least) : most === "" ? Infinity : Number(most),
  ] as const
  if (bounds.some((bound) => bound !== Infinity && bound > MOST_REPETITIONS)) {
    throw new Unsafe(`repeats more than ${MOST_REPETITIONS} times`)
  }
  return bounds
}
