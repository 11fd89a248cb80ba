/**
 * A landscape film from a prompt and a seed. Each plane is painted far to near: sky, stars, the
 * sun, far land, water, near land, and what drifts through the air. The scene does not depend on
 * the resolution: the same prompt shows the same place at every size.
 */
import type { Frame, FramePainter, FrameSize, Moment } from "../frame.ts"
import { createRandom, type Random } from "../random.ts"
import { paintDot } from "./dots.ts"
import { createAir, createStars, type DriftPainter } from "./drift.ts"
import { createLand, WATERLINE, type LandLayer } from "./land.ts"
import { choosePalette, type Palette } from "./palette.ts"
import { LINE_SPAN } from "./ridge-shapes.ts"
import { createTrace, paintRidge, traceRidges, type RidgeTrace } from "./ridge.ts"
import { createSky, type Disc, type Sky } from "./sky.ts"
import { chooseTheme, type Theme } from "./theme.ts"
import { paintWater, type Water } from "./water.ts"

export interface SceneOptions {
  readonly prompt: string
  /** Decides what the prompt leaves open. */
  readonly seed: string
  readonly size: FrameSize
  /** Speed of everything that moves; 1 is usual. */
  readonly pace: number
}

interface Scene {
  readonly palette: Palette
  readonly sky: Sky
  readonly disc: Disc
  readonly stars: DriftPainter | undefined
  readonly air: DriftPainter | undefined
  readonly layers: readonly LandLayer[]
  readonly water: Water | undefined
  readonly cameraSpeed: number
}

/** The sky is painted down to here; land or water covers what lies lower. */
const HORIZON = 0.74

export function createScenePainter({ prompt, seed, size, pace }: SceneOptions): FramePainter {
  const random = createRandom(seed)
  const theme = chooseTheme(prompt, random.fork("theme"))
  const scene = createScene(theme, random, size.width / size.height)
  const far = createView(
    scene.layers.filter((layer) => !layer.isForeground),
    size,
  )
  const near = createView(
    scene.layers.filter((layer) => layer.isForeground),
    size,
  )
  return {
    paint(frame, moment) {
      const paced: Moment = { ...moment, elapsedS: moment.elapsedS * pace }
      paintScene(frame, scene, { far, near }, paced)
    },
  }
}

/** Layers, and room for where they are seen: in the luma plane, and in the two colour planes. */
interface View {
  readonly layers: readonly LandLayer[]
  readonly luma: readonly RidgeTrace[]
  readonly colour: readonly RidgeTrace[]
}

function createView(layers: readonly LandLayer[], { width }: FrameSize): View {
  return {
    layers,
    luma: layers.map(() => createTrace(width)),
    colour: layers.map(() => createTrace(width / 2)),
  }
}

function createScene(theme: Theme, random: Random, shape: number): Scene {
  const palette = choosePalette(theme.hour, random.fork("palette"))
  const disc = placeDisc(theme, random.fork("disc"), shape)
  return {
    palette,
    disc,
    sky: createSky({
      palette,
      random: random.fork("sky"),
      disc,
      shape,
      horizon: HORIZON,
      clouds: random.fork("weather").between(0.25, 0.95) * (theme.hasAurora ? 0.3 : 1),
      hasAurora: theme.hasAurora,
      glow: theme.hour === "night" ? 0.42 : 0.85,
    }),
    stars: theme.hour === "night" ? createStars(random.fork("stars"), shape, HORIZON) : undefined,
    air: createAir(theme.air, random.fork("air"), shape),
    layers: createLand({
      theme,
      palette,
      random: random.fork("land"),
      isLitFromLeft: disc.x < shape / 2,
    }),
    water: theme.hasWater
      ? {
          waterline: WATERLINE,
          tint: palette.water,
          disc,
          discColour: palette.disc,
          glitter: theme.hour === "day" ? 0.45 : 0.8,
        }
      : undefined,
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

function paintScene(
  frame: Frame,
  scene: Scene,
  { far, near }: Readonly<Record<"far" | "near", View>>,
  moment: Moment,
): void {
  // starts far from the outline's end, since the camera may travel to the left
  const travel = LINE_SPAN + moment.elapsedS * scene.cameraSpeed
  const end = scene.water?.waterline ?? 1
  const skyUntil = traceView(far, frame, travel, end)
  scene.sky.advance(moment)
  for (const plane of frame.planes) scene.sky.paint(plane, Math.ceil(skyUntil * plane.height) + 1)
  scene.stars?.(frame, moment)
  paintDot(frame, { ...scene.disc, colour: scene.palette.disc, opacity: 0.96, until: skyUntil })
  paintView(frame, far, travel, end)
  if (scene.water !== undefined) {
    for (const plane of frame.planes) paintWater(plane, scene.water, moment.elapsedS)
  }
  traceView(near, frame, travel, 1)
  paintView(frame, near, travel, 1)
  scene.air?.(frame, moment)
}

/** Down to `end`, in frame heights. Returns where the sky is covered in every column. */
function traceView(
  { layers, luma, colour }: View,
  frame: Frame,
  travel: number,
  end: number,
): number {
  const [whole, half] = frame.planes
  traceRidges(layers, colour, half.height, travel, Math.ceil(end * half.height))
  const rows = traceRidges(layers, luma, whole.height, travel, Math.ceil(end * whole.height))
  return rows / whole.height
}

/** Layer by layer, so that windows of a far one are hidden by a near one. */
function paintView(
  frame: Frame,
  { layers, luma, colour }: View,
  travel: number,
  end: number,
): void {
  for (const [index, layer] of layers.entries()) {
    for (const plane of frame.planes) {
      const traces = plane.component === 0 ? luma : colour
      paintRidge(plane, layer, traces[index]!)
    }
    paintWindows(frame, layer, travel, end)
  }
}

function paintWindows(frame: Frame, layer: LandLayer, travel: number, until: number): void {
  const shape = frame.width / frame.height
  const start = layer.offset + travel * layer.parallax
  for (const { at, below, colour, opacity } of layer.windows) {
    const x = (((at * LINE_SPAN - start) % LINE_SPAN) + LINE_SPAN) % LINE_SPAN
    if (x > shape) continue
    const height =
      layer.outline[Math.min(Math.floor(at * layer.outline.length), layer.outline.length - 1)]!
    const y = layer.base - layer.rise * height + below
    paintDot(frame, { x, y, radius: 0.0021, colour, opacity, until })
  }
}
