/** The SDK's options of an image as parameters of a model. */
import {
  ASPECT_RATIO_NAMES,
  COUNT_NAMES,
  createDraft,
  type Draft,
  findCount,
  findModelOption,
  findParameter,
  hasNamedSizes,
  place,
  placeMask,
  placePictures,
  SIZE_NAMES,
  toAspectRatio,
  toNamedRatio,
  toSize,
} from "@safelight/client/parameters"
import type { ImageModelV4CallOptions } from "@ai-sdk/provider"
import type { ModelInfo } from "@safelight/client"
import { toMediaUrl } from "./media-url.ts"

export type ImageOptions = Omit<ImageModelV4CallOptions, "n" | "providerOptions">

/** `n` is of one task. */
export function toImageParameters(info: ModelInfo, options: ImageOptions, n: number): Draft {
  const draft = createDraft(info)
  place(draft, "prompt", ["prompt", "text"], options.prompt)
  if (n > 1 || findCount(draft) !== undefined) place(draft, "n", COUNT_NAMES, n)
  placeSize(draft, options.size)
  placeAspectRatio(draft, options.aspectRatio)
  place(draft, "seed", ["seed"], options.seed)
  placePictures(draft, "files", (options.files ?? []).map(toMediaUrl))
  placeMask(draft, "mask", options.mask && toMediaUrl(options.mask))
  return draft
}

function placeSize(draft: Draft, size: string | undefined): void {
  const isByEdges =
    (findModelOption(draft, "size") ?? findParameter(draft, SIZE_NAMES)) === undefined
  const { height, width } = draft.schemas
  if (size === undefined || !isByEdges || height === undefined || width === undefined) {
    return place(draft, "size", SIZE_NAMES, size, toSize)
  }
  const [across, down] = size.split("x").map(Number)
  place(draft, "size", ["width"], across)
  place(draft, "size", ["height"], down)
}

/** Some models have sizes by name, and no ratio of their own. */
function placeAspectRatio(draft: Draft, ratio: string | undefined): void {
  const name = findParameter(draft, SIZE_NAMES)
  const isRatio = findParameter(draft, ASPECT_RATIO_NAMES) !== undefined
  const isNamed = name !== undefined && hasNamedSizes(draft.schemas[name] ?? {})
  if (isRatio || !isNamed) {
    return place(draft, "aspectRatio", ASPECT_RATIO_NAMES, ratio, toAspectRatio)
  }
  place(draft, "aspectRatio", [name], ratio, toNamedRatio)
}
