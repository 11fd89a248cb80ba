/**
 * The part of a text that the bundled fonts can show. Characters outside it are left out rather
 * than drawn from whatever fonts a machine has: the same prompt must give the same bytes. The
 * ranges are whole blocks or the gapless parts of them, checked against the fonts by a test.
 */

export interface Letterable {
  /** On one line, without what the font lacks; empty where nothing legible is left. */
  readonly text: string
  readonly font: "serif" | "sans"
}

type Ranges = readonly (readonly [first: number, last: number])[]

/** What DejaVu Serif holds: Latin, Greek, Cyrillic, punctuation, arrows. */
export const SERIF_RANGES: Ranges = [
  [0x20, 0x7e],
  [0xa0, 0xac],
  [0xae, 0x24f],
  [0x300, 0x304],
  [0x306, 0x30c],
  [0x384, 0x386],
  [0x388, 0x38a],
  [0x38e, 0x3a1],
  [0x3a3, 0x3d6],
  [0x400, 0x45f],
  [0x490, 0x493],
  [0x1e80, 0x1e85],
  [0x1ea0, 0x1ef9],
  [0x1f00, 0x1f15],
  [0x2010, 0x2015],
  [0x2018, 0x201e],
  [0x2020, 0x2022],
  [0x2026, 0x2026],
  [0x2032, 0x2033],
  [0x20ac, 0x20ac],
  [0x2122, 0x2122],
  [0x2190, 0x21ff],
]

/** What DejaVu Sans adds: Hebrew and Arabic letters, mathematics. It holds the above as well. */
export const SANS_RANGES: Ranges = [
  [0x460, 0x513],
  [0x5d0, 0x5ea],
  [0x60c, 0x60c],
  [0x61b, 0x61b],
  [0x61f, 0x61f],
  [0x621, 0x63a],
  [0x640, 0x652],
  [0x660, 0x66d],
  [0x679, 0x6bf],
  [0x6f0, 0x6f9],
  [0x2200, 0x22ff],
]

/** More is never legible on one picture. */
const MOST_CHARACTERS = 400

export function toLetterable(text: string): Letterable {
  // A prompt of 10,000 characters may be all space or all unknown: read on until enough is found.
  const characters = Array.from(text.normalize("NFC").replaceAll(/\s+/gu, " "))
  const shown = characters.filter(
    (character) => isIn(SERIF_RANGES, character) || isIn(SANS_RANGES, character),
  )
  const line = Array.from(shown.join("").replaceAll(/ {2,}/g, " ").trim())
  if (!line.some((character) => /[\p{L}\p{N}]/u.test(character))) return { text: "", font: "serif" }
  const cut = line.slice(0, MOST_CHARACTERS)
  const font = cut.every((character) => isIn(SERIF_RANGES, character)) ? "serif" : "sans"
  const whole = cut.join("")
  return { text: cut.length < line.length ? `${whole.trimEnd()}…` : whole, font }
}

function isIn(ranges: Ranges, character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return ranges.some(([first, last]) => code >= first && code <= last)
}
