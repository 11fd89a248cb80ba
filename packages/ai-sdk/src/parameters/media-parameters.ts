/** Files of a call, as data URLs, and the parameters of a model that take them. */
import type { Draft } from "@safelight/client/parameters"
import type { Experimental_VideoModelV4File as VideoModelV4File } from "@ai-sdk/provider"
import type { ModelInfo } from "@safelight/client"

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

/** Behind what the parameter has already, if it is a list. */
export function addMedia(draft: Draft, name: string, urls: readonly string[]): void {
  const before = (draft.parameters[name] ?? []) as readonly string[]
  draft.parameters[name] = isList(draft, name) ? [...before, ...urls] : urls[0]
}

/** Files of the SDK's image models have the same shape. */
export function toMediaUrl(file: VideoModelV4File): string {
  if (file.type === "url") return file.url
  const { data, mediaType } = file
  return `data:${mediaType};base64,${typeof data === "string" ? data : toBase64(data)}`
}

const VIDEO_ENDING = /\.(?:mp4|webm|mov)$/i

/** Of an address whose type is not told, by its ending; pictures are the rule. */
export function toMediaType(file: VideoModelV4File): MediaType {
  const told = file.mediaType?.split("/")[0]
  if (told === "video" || told === "audio" || told === "image") return told
  const path = file.type === "url" ? (file.url.split(/[?#]/)[0] ?? "") : ""
  return VIDEO_ENDING.test(path) ? "video" : "image"
}

/** A call takes so many arguments at most. */
const CHUNK_BYTES = 32_768

function toBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    parts.push(String.fromCharCode(...bytes.subarray(start, start + CHUNK_BYTES)))
  }
  return btoa(parts.join(""))
}
