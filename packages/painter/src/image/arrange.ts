/**
 * How several images share one frame. Every arrangement shows all of them; the prompt's words choose
 * one, and without such a word it changes with the variation. A single image fills
 * the frame, each variation seen from a little closer and elsewhere.
 */
import type { Random } from "../drawing/random.ts"

/** A place in the frame, in shares of its sides. */
export interface Cell {
  readonly image: number
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export type Arrangement =
  /** Side by side, or one above the other; cells are separated by a gap. */
  | { readonly kind: "cells"; readonly cells: readonly Cell[] }
  /** All over one another, woven together by soft masks. */
  | { readonly kind: "exposure" }

type Layout = "columns" | "rows" | "feature" | "exposure"

const LAYOUTS: readonly [Layout, ...Layout[]] = ["exposure", "feature", "columns", "rows"]

const LAYOUT_WORDS: Readonly<Record<string, Layout>> = {
  blend: "exposure",
  merge: "exposure",
  combine: "exposure",
  mix: "exposure",
  fuse: "exposure",
  collage: "feature",
  grid: "feature",
  columns: "columns",
  beside: "columns",
  triptych: "columns",
  rows: "rows",
  above: "rows",
  below: "rows",
  stack: "rows",
}

export interface ArrangeRequest {
  readonly images: number
  readonly words: ReadonlySet<string>
  readonly random: Random
  /** 0 for the first picture of a task. */
  readonly variation: number
}

export function arrange({ images, words, random, variation }: ArrangeRequest): Arrangement {
  const byChance = random.pick(LAYOUTS)
  if (images === 1) return { kind: "cells", cells: [toStrip(1, 0, true)] }
  const spoken = [...words].map((word) => LAYOUT_WORDS[word]).find((layout) => layout !== undefined)
  const next = LAYOUTS[(LAYOUTS.indexOf(byChance) + variation) % LAYOUTS.length]
  const layout = spoken ?? next ?? byChance
  if (layout === "exposure") return { kind: "exposure" }
  if (layout === "feature") return { kind: "cells", cells: toFeature(images, variation % 2 === 0) }
  const isAcross = layout === "columns"
  const cells = Array.from({ length: images }, (_, image) => toStrip(images, image, isAcross))
  return { kind: "cells", cells }
}

function toStrip(images: number, image: number, isAcross: boolean): Cell {
  const share = 1 / images
  return isAcross
    ? { image, left: image * share, top: 0, width: share, height: 1 }
    : { image, left: 0, top: image * share, width: 1, height: share }
}

/** The first image large, the others in a strip next to it. */
function toFeature(images: number, isLeft: boolean): readonly Cell[] {
  const wide = images === 2 ? 0.6 : 0.68
  const large = { image: 0, left: isLeft ? 0 : 1 - wide, top: 0, width: wide, height: 1 }
  const share = 1 / (images - 1)
  const others = Array.from({ length: images - 1 }, (_, index) => ({
    image: index + 1,
    left: isLeft ? wide : 0,
    top: index * share,
    width: 1 - wide,
    height: share,
  }))
  return [large, ...others]
}
