/**
 * What words of an edit prompt do to the picture. Each word is one change of a grade; several add
 * up in the order they stand here, whatever their order in the prompt. The README lists them, and a
 * test keeps the two in step.
 */
import type { Tone } from "../drawing/tone.ts"

/** How a frame is to be changed. Everything at rest is 0, but for `contrast` and `saturation`: 1. */
export interface Grade {
  readonly exposure: number
  readonly contrast: number
  readonly saturation: number
  /** Above 0 warmer, below colder. */
  readonly warmth: number
  /** Lifts black towards grey. */
  readonly fade: number
  readonly vignette: number
  readonly grain: number
  /** How far tones are replaced by `shadows` and `highlights`. */
  readonly toning: number
  readonly shadows: Tone
  readonly highlights: Tone
  /** Levels a channel keeps; 0: all. */
  readonly levels: number
  /** Blocks along the longer side; 0: none. */
  readonly blocks: number
  /** Radius in thousandths of the longer side. */
  readonly blur: number
  readonly sharpen: boolean
  readonly outline: boolean
  readonly invert: boolean
  readonly mirror: boolean
  readonly flip: boolean
}

type Change = (grade: Grade) => Partial<Grade>

export const GRADE_WORDS: Readonly<Record<string, Change>> = {
  warm: (grade) => ({ warmth: grade.warmth + 0.55 }),
  cold: (grade) => ({ warmth: grade.warmth - 0.55 }),
  cool: (grade) => ({ warmth: grade.warmth - 0.4 }),
  sunset: (grade) => ({
    warmth: grade.warmth + 0.45,
    toning: 0.34,
    shadows: [0.3, 0.1, 0.36],
    highlights: [1, 0.74, 0.4],
  }),
  night: (grade) => ({
    exposure: grade.exposure - 0.85,
    warmth: grade.warmth - 0.5,
    saturation: grade.saturation * 0.7,
    vignette: 0.6,
    toning: 0.38,
    shadows: [0.02, 0.05, 0.16],
    highlights: [0.62, 0.76, 1],
  }),
  bright: (grade) => ({ exposure: grade.exposure + 0.45 }),
  dark: (grade) => ({ exposure: grade.exposure - 0.55 }),
  dramatic: (grade) => ({ contrast: grade.contrast * 1.4, vignette: 0.55 }),
  soft: (grade) => ({ contrast: grade.contrast * 0.78, fade: 0.12 }),
  faded: (grade) => ({ fade: 0.28, saturation: grade.saturation * 0.7 }),
  vivid: (grade) => ({ saturation: grade.saturation * 1.6 }),
  pastel: (grade) => ({
    saturation: grade.saturation * 0.6,
    fade: 0.3,
    exposure: grade.exposure + 0.2,
  }),
  monochrome: () => ({ saturation: 0, toning: 0, warmth: 0 }),
  sepia: () => ({
    saturation: 0,
    toning: 0.85,
    shadows: [0.16, 0.09, 0.04],
    highlights: [1, 0.91, 0.74],
  }),
  vintage: (grade) => ({ fade: 0.2, grain: 9, vignette: 0.4, warmth: grade.warmth + 0.25 }),
  duotone: (grade) => ({ toning: 0.92, contrast: grade.contrast * 1.15 }),
  grain: () => ({ grain: 14 }),
  vignette: () => ({ vignette: 0.75 }),
  poster: (grade) => ({ levels: 5, saturation: grade.saturation * 1.25 }),
  pixel: () => ({ blocks: 72 }),
  blur: () => ({ blur: 9 }),
  sharp: () => ({ sharpen: true }),
  sketch: () => ({ outline: true, saturation: 0, toning: 0, warmth: 0 }),
  invert: () => ({ invert: true }),
  mirror: () => ({ mirror: true }),
  flip: () => ({ flip: true }),
}

/** `base` changed by those of `words` that are known. */
export function gradeByWords(base: Grade, words: ReadonlySet<string>): Grade {
  let grade = base
  for (const [word, change] of Object.entries(GRADE_WORDS)) {
    if (words.has(word)) grade = { ...grade, ...change(grade) }
  }
  return grade
}
