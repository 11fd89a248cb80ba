/**
 * Frames and references of a video. A model that has no parameters for frames but a list of pictures takes the
 * first frame and then the last one there.
 */
import { type Draft, findParameter, warn } from "@safelight/client/parameters"
import { addMedia, findMedia, isList, toMediaType, toMediaUrl } from "./media-parameters.ts"
import type { VideoOptions } from "./video-parameters.ts"

const FIRST_FRAME_NAMES = [
  "start_image_url",
  "first_frame_url",
  "first_frame_image_url",
  "first_frame_image",
  "first_frame",
  "start_image",
  "image_url",
  "image",
] as const

const LAST_FRAME_NAMES = [
  "end_image_url",
  "last_frame_url",
  "last_frame_image_url",
  "last_frame_image",
  "last_frame",
  "end_image",
  "tail_image_url",
] as const

/** The SDK hands a first frame over as `image` too. */
export function placeFrames(draft: Draft, { frameImages = [], image }: VideoOptions): void {
  const [first, last] = (["first_frame", "last_frame"] as const).map(
    (type) => frameImages.find(({ frameType }) => frameType === type)?.image,
  )
  const start = first ?? image
  const list = findMedia(draft, "image").find((name) => isList(draft, name))
  if (start !== undefined) {
    const name = findParameter(draft, FIRST_FRAME_NAMES) ?? list
    if (name === undefined) warn(draft, "image")
    else addMedia(draft, name, [toMediaUrl(start)])
  }
  if (last !== undefined) {
    const isSecond = list !== undefined && draft.parameters[list] !== undefined
    const name = findParameter(draft, LAST_FRAME_NAMES) ?? (isSecond ? list : undefined)
    if (name === undefined) warn(draft, "frameImages.last_frame")
    else addMedia(draft, name, [toMediaUrl(last)])
  }
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
