/**
 * The colours of a landscape, by what they are used for. They follow the hour: composed by hand, and
 * their hue turned a little by the seed, so that two prompts of one hour still look different.
 */
import type { Random } from "../drawing/random.ts"
import { fromHex, mixTones, turnHue, type Tone } from "../drawing/tone.ts"
import { toYuv, type Yuv } from "../drawing/yuv.ts"
import type { Hour, Theme } from "./theme.ts"

const ROLES = [
  "zenith",
  "sky",
  "horizon",
  /** The sun's, or the moon's. */
  "disc",
  "cloudLit",
  "cloudShade",
  /** What distance dissolves into. */
  "haze",
  "near",
  "water",
] as const
type Role = (typeof ROLES)[number]

export type Colours<Colour = Tone> = Readonly<Record<Role, Colour>>

type Hex = Colours<string>

const SETS: Readonly<Record<Hour, readonly [Hex, ...Hex[]]>> = {
  dawn: [
    {
      zenith: "5b86c4",
      sky: "e9b3c0",
      horizon: "ffdf9e",
      disc: "fff6d8",
      cloudLit: "ffe2cf",
      cloudShade: "a98bb5",
      haze: "e3b6b4",
      near: "27304d",
      water: "5f7aa6",
    },
    {
      zenith: "3f7f95",
      sky: "9fd0c2",
      horizon: "ffe9b0",
      disc: "fffbe2",
      cloudLit: "fff1d6",
      cloudShade: "7fa6ad",
      haze: "b7d3bd",
      near: "173538",
      water: "4b8c93",
    },
  ],
  day: [
    {
      zenith: "1f63b5",
      sky: "6fb1ea",
      horizon: "dcf0fb",
      disc: "fffdf0",
      cloudLit: "ffffff",
      cloudShade: "9db9d3",
      haze: "b4d2e6",
      near: "1c4638",
      water: "2a6d9c",
    },
    {
      zenith: "2a7fae",
      sky: "8fcfe0",
      horizon: "f3f4dd",
      disc: "fffdf0",
      cloudLit: "ffffff",
      cloudShade: "a9c3c6",
      haze: "c6dccf",
      near: "2d4a24",
      water: "2f8795",
    },
  ],
  dusk: [
    {
      zenith: "191b4a",
      sky: "83407f",
      horizon: "ff9f55",
      disc: "ffe6ad",
      cloudLit: "ffab74",
      cloudShade: "54366c",
      haze: "cf7079",
      near: "130e22",
      water: "3b2b5c",
    },
    {
      zenith: "0f2747",
      sky: "b8526f",
      horizon: "ffc168",
      disc: "fff0c2",
      cloudLit: "ff9c86",
      cloudShade: "3c3560",
      haze: "d98a6c",
      near: "0f1524",
      water: "274060",
    },
    {
      zenith: "22143f",
      sky: "6b3a9a",
      horizon: "ff7f8f",
      disc: "ffd9c4",
      cloudLit: "ff94a8",
      cloudShade: "46297a",
      haze: "b45a96",
      near: "150a26",
      water: "3a2368",
    },
  ],
  night: [
    {
      zenith: "040819",
      sky: "0d2149",
      horizon: "2f5480",
      disc: "f5f2e2",
      cloudLit: "4a6288",
      cloudShade: "14233f",
      haze: "2a4566",
      near: "04070e",
      water: "0b1c38",
    },
    {
      zenith: "070417",
      sky: "1d1448",
      horizon: "4a3a7c",
      disc: "f7ecdc",
      cloudLit: "5d4f8a",
      cloudShade: "1e1742",
      haze: "3c3168",
      near: "07050f",
      water: "171040",
    },
  ],
}

/** Larger turns leave sunsets green. */
const LARGEST_TURN_RADIANS = 0.2

/** What the ground of a desert is mixed with, by how much light there is to show it. */
const SAND = { haze: fromHex("ecd2a6"), near: fromHex("b87a45") }
const SAND_SHARE: Readonly<Record<Hour, number>> = { dawn: 0.45, day: 0.85, dusk: 0.3, night: 0.06 }

export function chooseColours({ hour, land }: Theme, random: Random): Colours {
  const hex = random.pick(SETS[hour])
  const turn = random.between(-LARGEST_TURN_RADIANS, LARGEST_TURN_RADIANS)
  const colours = mapColours(hex, (each) => turnHue(fromHex(each), turn))
  if (land !== "desert") return colours
  const share = SAND_SHARE[hour]
  const haze = mixTones(colours.haze, SAND.haze, share)
  return { ...colours, haze, near: mixTones(colours.near, SAND.near, share) }
}

/** As the encoder's planes take them. */
export function toYuvColours(colours: Colours): Colours<Yuv> {
  return mapColours(colours, toYuv)
}

export function mapColours<From, To>(
  colours: Colours<From>,
  convert: (from: From) => To,
): Colours<To> {
  return Object.fromEntries(ROLES.map((role) => [role, convert(colours[role])])) as Colours<To>
}
