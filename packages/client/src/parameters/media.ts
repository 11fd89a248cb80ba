/** Media of a call, as addresses or data URLs, and the parameters of a model that take them. */
import type { ModelInfo } from "../api/price-answers.ts"
import { findParameter, warn, type Draft } from "./draft.ts"

export type MediaType = ModelInfo["media"][number]["type"]

/** Names of the parameters that take such media, without those inside of others. */
export function findMedia({ info }: Draft, type: MediaType): string[] {
  return info.media
    .filter((each) => each.type === type)
    .map(({ param }) => param.replace(/^parameters\./, ""))
    .filter((name) => /^\w+$/.test(name))
}

export function isList({ schemas }: Draft, name: string): boolean {
  return schemas[name]?.type === "array"
}

/** Behind what the parameter has already, if it is a list. What a caller gave instead of a list is left as it is. */
export function addMedia(draft: Draft, name: string, urls: readonly string[]): void {
  const before: unknown = draft.parameters[name] ?? []
  if (!isList(draft, name)) draft.parameters[name] = urls[0]
  else if (Array.isArray(before)) draft.parameters[name] = [...(before as unknown[]), ...urls]
}

export function isMask(name: string): boolean {
  return name.startsWith("mask")
}

/** Pictures to be edited. Does nothing where there are none. */
export function placePictures(draft: Draft, feature: string, urls: readonly string[]): void {
  if (urls.length === 0) return
  const names = findMedia(draft, "image").filter((name) => !isMask(name))
  const list = names.find((name) => isList(draft, name))
  const name = urls.length > 1 ? (list ?? names[0]) : names[0]
  if (name === undefined) return warn(draft, feature)
  if (urls.length > 1 && !isList(draft, name)) {
    warn(draft, feature, `${name} takes one: the others are left out`)
  }
  addMedia(draft, name, urls)
}

/** Does nothing where there is none. */
export function placeMask(draft: Draft, feature: string, url: string | undefined): void {
  if (url === undefined) return
  const name = findMedia(draft, "image").find(isMask)
  if (name === undefined) return warn(draft, feature)
  addMedia(draft, name, [url])
}

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

/** In a list of pictures, if the model has no parameter for it. Does nothing where there is none. */
export function placeFirstFrame(draft: Draft, feature: string, url: string | undefined): void {
  if (url === undefined) return
  const name = findParameter(draft, FIRST_FRAME_NAMES) ?? findPictureList(draft)
  if (name === undefined) return warn(draft, feature)
  addMedia(draft, name, [url])
}

/** In a list of pictures behind the first frame, if the model has no parameter for it. Does nothing where there is none. */
export function placeLastFrame(draft: Draft, feature: string, url: string | undefined): void {
  if (url === undefined) return
  const list = findPictureList(draft)
  const isSecond = list !== undefined && draft.parameters[list] !== undefined
  const name = findParameter(draft, LAST_FRAME_NAMES) ?? (isSecond ? list : undefined)
  if (name === undefined) return warn(draft, feature)
  addMedia(draft, name, [url])
}

function findPictureList(draft: Draft): string | undefined {
  return findMedia(draft, "image").find((name) => isList(draft, name))
}
