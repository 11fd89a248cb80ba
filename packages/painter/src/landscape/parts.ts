/**
 * The parts of a landscape, made once and shaped for one size, which can then be painted at any
 * moment. Every part draws from a fork of the seed of its own, so that a change to one leaves the
 * others where they were.
 */
import type { FrameSize } from "../drawing/frame.ts"
import { createRandom, type Random } from "../drawing/random.ts"
import type { Yuv } from "../drawing/yuv.ts"
import { toYuvColours } from "./colours.ts"
import { createAir, createStars, type DriftPainter } from "./drift.ts"
import { createLand, WATERLINE } from "./land.ts"
import { createLandView, type LandView } from "./land-view.ts"
import type { Landscape } from "./landscape.ts"
import { createSky, type Disc, type Sky } from "./sky.ts"
import type { Theme } from "./theme.ts"
import type { Water } from "./water.ts"

export interface Parts {
  readonly sky: Sky
  readonly stars: DriftPainter | undefined
  /** The sun's, or the moon's. */
  readonly disc: Disc
  readonly discColour: Yuv
  readonly far: LandView
  readonly water: Water | undefined
  readonly near: LandView
  readonly air: DriftPainter | undefined
  /** In frame heights a second; negative to the left. */
  readonly cameraSpeed: number
}

/** The sky is painted down to here, in frame heights; land or water covers what lies lower. */
const HORIZON = 0.74

export function createParts({ theme, colours, seed }: Landscape, size: FrameSize): Parts {
  const random = createRandom(seed)
  const shape = size.width / size.height
  const yuv = toYuvColours(colours)
  const disc = placeDisc(theme, random.fork("disc"), shape)
  const isLitFromLeft = disc.x < shape / 2
  const land = createLand({ theme, colours, random: random.fork("land"), isLitFromLeft })
  return {
    sky: createSky({
      colours: yuv,
      random: random.fork("sky"),
      disc,
      shape,
      horizon: HORIZON,
      clouds: random.fork("weather").between(0.25, 0.95) * (theme.hasAurora ? 0.3 : 1),
      hasAurora: theme.hasAurora,
      glow: theme.hour === "night" ? 0.42 : 0.85,
    }),
    stars: theme.hour === "night" ? createStars(random.fork("stars"), shape, HORIZON) : undefined,
    disc,
    discColour: yuv.disc,
    far: createLandView(
      land.filter((layer) => !layer.isForeground),
      size,
    ),
    water: theme.hasWater
      ? {
          waterline: WATERLINE,
          tint: yuv.water,
          disc,
          discColour: yuv.disc,
          glitter: theme.hour === "day" ? 0.45 : 0.8,
        }
      : undefined,
    near: createLandView(
      land.filter((layer) => layer.isForeground),
      size,
    ),
    air: createAir(theme.air, random.fork("air"), shape),
    cameraSpeed: random.fork("camera").between(0.035, 0.06) * random.fork("way").pick([-1, 1]),
  }
}

function placeDisc({ hour, land }: Theme, random: Random, shape: number): Disc {
  const x = shape * random.between(0.24, 0.76)
  const isHigh = hour === "day" || hour === "night"
  const low = land === "sea" ? 0.52 : 0.4
  const y = isHigh ? random.between(0.12, 0.26) : random.between(low - 0.06, low)
  return { x, y, radius: hour === "day" ? 0.03 : random.between(0.034, 0.055) }
}
