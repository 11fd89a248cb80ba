/**
 * A landscape in the colours that a request asks for: its inks take the roles of the hour's own
 * colours, dark for dark and light for light, and its background is the haze over the horizon.
 */
import { mapColours, type Colours } from "../landscape/colours.ts"
import type { Hour } from "../landscape/theme.ts"
import { mixTones, readRamp, toLightness, type Tone } from "../drawing/tone.ts"
import type { Palette } from "../image/palette.ts"

/** Where on the ramp of the request's inks each role lies: 0 is the darkest ink, 1 the lightest. */
const RAMP_PLACES: Readonly<Record<Hour, Colours<number>>> = {
  dawn: {
    zenith: 0.42,
    sky: 0.7,
    horizon: 0.9,
    disc: 0.97,
    cloudLit: 0.92,
    cloudShade: 0.5,
    haze: 0.72,
    near: 0.05,
    water: 0.4,
  },
  day: {
    zenith: 0.45,
    sky: 0.68,
    horizon: 0.92,
    disc: 0.98,
    cloudLit: 0.97,
    cloudShade: 0.62,
    haze: 0.76,
    near: 0.06,
    water: 0.36,
  },
  dusk: {
    zenith: 0.1,
    sky: 0.42,
    horizon: 0.82,
    disc: 0.97,
    cloudLit: 0.74,
    cloudShade: 0.24,
    haze: 0.6,
    near: 0,
    water: 0.2,
  },
  night: {
    zenith: 0.02,
    sky: 0.16,
    horizon: 0.5,
    disc: 0.97,
    cloudLit: 0.55,
    cloudShade: 0.18,
    haze: 0.36,
    near: 0,
    water: 0.1,
  },
}

const SUNLIGHT: Tone = [1, 0.98, 0.92]

/** The colours that a request asks for in place of `own`; what it leaves open stays `own`. */
export function tint(own: Colours, palette: Palette, hour: Hour): Colours {
  const inked = palette.hasWishedInks
    ? mapColours(RAMP_PLACES[hour], (place) => readRamp(palette.ramp, place))
    : own
  const disc = palette.hasWishedInks ? mixTones(inked.disc, SUNLIGHT, 0.7) : inked.disc
  if (!palette.hasWishedGround) return { ...inked, disc }
  // A dark ground mixed into a bright sky would be dirt rather than haze.
  const light = toLightness(palette.ground) ** 2
  const share = hour === "night" ? 0.15 : 0.12 + 0.4 * light
  return {
    ...inked,
    disc: mixTones(disc, palette.ground, 0.25 * light),
    horizon: mixTones(inked.horizon, palette.ground, share),
    haze: mixTones(inked.haze, palette.ground, share * 0.7),
  }
}
