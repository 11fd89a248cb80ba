/** Files of a call, as addresses or data URLs. */
import type { MediaType } from "@safelight/client/parameters"
import type { Experimental_VideoModelV4File as VideoModelV4File } from "@ai-sdk/provider"

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
