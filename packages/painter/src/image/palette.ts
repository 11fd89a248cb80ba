/**
 * The colours a picture may use. What the request asks for rules: its colours become the inks, its
 * background the ground that every scene is built on; only what it leaves open is chosen here. Inks
 * are ordered from dark to light, so that scenes can speak of depth instead of names.
 */
import type { Colour } from "@safelight/core"
import type { Random } from "../drawing/random.ts"
import {
  createRamp,
  fromHex,
  mixTones,
  toLightness,
  withLightness,
  type Ramp,
  type Tone,
} from "../drawing/tone.ts"

export interface Palette {
  /** What shines through everywhere: paper, sky at the horizon, mist. */
  readonly ground: Tone
  /** Dark to light, at least three. */
  readonly inks: readonly [Tone, ...Tone[]]
  /** All inks as one gradient, dark to light. */
  readonly ramp: Ramp
  /** Whether the request names inks, and whether it names a ground. */
  readonly hasWishedInks: boolean
  readonly hasWishedGround: boolean
}

export interface PaletteRequest {
  readonly colours: readonly Colour[]
  readonly background: Colour | undefined
  /** The inks of a scene that has its own; else a set is picked. */
  readonly ownInks: readonly Tone[] | undefined
  readonly random: Random
}

/** More colours than this are thinned out evenly: no eye tells them apart on one picture. */
const MOST_INKS = 12
/** Inks nearer than this in lightness get a shade and a tint, or forms would have no edges. */
const LEAST_CONTRAST = 0.45

/** Sets composed by hand, each from its darkest to its lightest. */
const SETS: readonly [readonly string[], ...(readonly string[])[]] = [
  ["0d1b2a", "1b3a4b", "5f7c8a", "e09f7d", "f6e0b5"],
  ["1a0f1f", "5b1a3a", "b8333e", "ee7b4a", "ffd38a"],
  ["0b2036", "1f5673", "5fa8b8", "b9dde0", "f4f7f2"],
  ["14211a", "2f4a36", "6a8a53", "c4c97a", "f3ecc8"],
  ["150f2e", "3b2a6b", "8a4f9e", "e58aa8", "fbdcc4"],
  ["2b1a1d", "7a3b2e", "c46f45", "e9b872", "f7e8c9"],
  ["04151f", "0e4d64", "137177", "74c69d", "f1faee"],
  ["22223b", "4a4e69", "9a8c98", "c9ada7", "f2e9e4"],
  ["1b1026", "47204f", "8e3b62", "d98f5c", "f5d68a"],
  ["10141c", "2c3846", "d6452f", "a9b4b8", "f4ede1"],
  ["0f2a33", "1d5c63", "6fb1a0", "f4a27a", "fdebd0"],
  ["0a0a1f", "24126a", "7a1fa2", "f72585", "ffd166"],
]

export function createPalette(request: PaletteRequest): Palette {
  const { background, colours, ownInks, random } = request
  // Drawn even where the request decides, so that its palette does not change the forms.
  const set = random.pick(SETS).map(fromHex)
  const isDarkGround = random.next() < 0.4
  const wished = colours.length === 0 ? (ownInks ?? set) : thinOut(colours).map(fromColour)
  const inks = widen(wished.toSorted((one, other) => toLightness(one) - toLightness(other)))
  const ground =
    background === undefined ? chooseGround(inks, isDarkGround) : fromColour(background)
  return {
    ground,
    inks,
    ramp: createRamp(inks),
    hasWishedInks: colours.length > 0,
    hasWishedGround: background !== undefined,
  }
}

/** A colour that stands out from `ground`, for lettering. */
export function toLegible({ ground, inks }: Palette): Tone {
  const isLight = toLightness(ground) > 0.6
  const ink = isLight ? inks[0] : (inks.at(-1) ?? inks[0])
  return withLightness(ink, isLight ? 0.26 : 0.93)
}

function chooseGround(inks: readonly [Tone, ...Tone[]], isDark: boolean): Tone {
  if (isDark) return withLightness(inks[0], 0.17)
  return withLightness(inks.at(-1) ?? inks[0], 0.95)
}

function widen(sorted: readonly Tone[]): readonly [Tone, ...Tone[]] {
  const darkest = sorted[0] ?? [0, 0, 0]
  const lightest = sorted.at(-1) ?? darkest
  const contrast = toLightness(lightest) - toLightness(darkest)
  if (contrast >= LEAST_CONTRAST && sorted.length >= 3) return [darkest, ...sorted.slice(1)]
  if (contrast >= LEAST_CONTRAST) return [darkest, mixTones(darkest, lightest, 0.5), lightest]
  const shade = withLightness(darkest, Math.max(0.12, toLightness(darkest) - 0.35))
  const tint = withLightness(lightest, Math.min(0.95, toLightness(lightest) + 0.3))
  return [shade, ...sorted, tint]
}

function thinOut(colours: readonly Colour[]): readonly Colour[] {
  if (colours.length <= MOST_INKS) return colours
  const stride = (colours.length - 1) / (MOST_INKS - 1)
  return Array.from(
    { length: MOST_INKS },
    (_, index) => colours[Math.round(index * stride)],
  ).filter((colour) => colour !== undefined)
}

function fromColour({ r, g, b }: Colour): Tone {
  return [r / 255, g / 255, b / 255]
}
