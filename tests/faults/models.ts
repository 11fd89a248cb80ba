/**
 * The models that rounds ask for, and what they cost: the three of the specification, and one of the
 * embedder's own with an arithmetic of its own. A price table is never edited, only followed by a newer one.
 */
import {
  defineModel,
  fields,
  imageEdit,
  integer,
  MODELS,
  referenceToVideo,
  text,
  textToImage,
  type Model,
  type PriceBook,
  type PriceTable,
} from "@safelight/core"

export const PICTURE = textToImage.id
export const EDIT = imageEdit.id
export const FILM = referenceToVideo.id
export const OWN = "faults/v1/own"

export const MOST_PIECES = 4

/** Of three pieces or more the last is a text about the others, so that a lost piece leaves a picture in any case. */
export function countTexts(model: string, pieces: number): number {
  return model === OWN && pieces >= 3 ? 1 : 0
}

/** The first picture costs as every other one, and each further one less: no line of a quote explains that. */
const ownModel = defineModel({
  id: OWN,
  artifacts: ["image", "text"],
  parameters: fields({ prompt: text(0, 1_000), pieces: integer(1, MOST_PIECES) }),
  logged: ["pieces"],
  estimate: () => ({ images: MOST_PIECES, inputVideosMs: [], outputVideoMs: 0 }),
  counts: ({ pieces }) => {
    const texts = countTexts(OWN, pieces)
    return { image: pieces - texts, text: texts }
  },
  charge: ({ images }, { perImageMicros = 0 }) => toOwnMicros(images, perImageMicros),
})

export function toOwnMicros(images: number, perImageMicros: number): number {
  return Array.from({ length: images }, (_, piece) =>
    Math.ceil(perImageMicros / (piece + 1)),
  ).reduce((total, micros) => total + micros, 0)
}

export const ROUND_MODELS: readonly Model[] = [...MODELS, ownModel]

/** Prices as they are before and after a change: by the new table everything costs twice as much. */
function toTable(version: string, factor: number): PriceTable {
  return {
    version,
    models: {
      [PICTURE]: { perImageMicros: 10_000 * factor },
      [EDIT]: { perImageMicros: 20_000 * factor },
      [FILM]: { perVideoSecondMicros: 1_000 * factor },
      [OWN]: { perImageMicros: 5_000 * factor },
    },
  }
}

export const OLD_PRICES: PriceBook = [toTable("faults-1", 1)]
export const NEW_PRICES: PriceBook = [...OLD_PRICES, toTable("faults-2", 2)]
