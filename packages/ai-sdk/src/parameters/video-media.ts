/**
 * Frames and references of a video. A model that has no parameters for frames but a list of pictures takes the
 * first frame and then the last one there.
 */
import {
  addMedia,
  type Draft,
  findMedia,
  isList,
  placeFirstFrame,
  placeLastFrame,
  warn,
} from "@safelight/client/parameters"
import { toMediaType, toMediaUrl } from "./media-url.ts"
import type { VideoOptions } from "./video-parameters.ts"

/** The SDK hands a first frame over as `image` too. */
export function placeFrames(draft: Draft, { frameImages = [], image }: VideoOptions): void {
  const [first, last] = (["first_frame", "last_frame"] as const).map(
    (type) => frameImages.find(({ frameType }) => frameType === type)?.image,
  )
  const start = first ?? image
  placeFirstFrame(draft, "image", start && toMediaUrl(start))
  placeLastFrame(draft, "frameImages.last_frame", last && toMediaUrl(last))
}

export function placeReferences(draft: Draft, references: VideoOptions["inputReferences"]): void {
  for (const file of references ?? []) {
    const type = toMediaType(file)
    const names = findMedia(draft, type)
    // A single picture is a frame; a single video or sound is what the work refers to.
    const single = names.find((each) => type !== "image" && draft.parameters[each] === undefined)
    const name = names.find((each) => isList(draft, each)) ?? single
    if (name === undefined) warn(draft, `inputReferences.${type}`)
    else addMedia(draft, name, [toMediaUrl(file)])
  }
}
