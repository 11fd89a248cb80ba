/**
 * Reference media read into memory, within bounds. Each file gets a buffer of its own, so that it
 * can be handed to a worker instead of copied. A URL never leaves this file, nor does the media
 * source's own message, which might speak of it.
 */
import {
  SafelightError,
  type AbortSignalLike,
  type MediaKind,
  type MediaSource,
} from "@safelight/core"

export interface MediaLimits {
  readonly imageBytes: number
  readonly videoBytes: number
  readonly audioBytes: number
  /** All references of one request together. */
  readonly requestBytes: number
}

export interface ReferenceUrls {
  readonly images: readonly string[]
  readonly videos: readonly string[]
  readonly audios: readonly string[]
}

export interface ReferenceMedia {
  readonly images: readonly Uint8Array<ArrayBuffer>[]
  readonly videos: readonly Uint8Array<ArrayBuffer>[]
  readonly audios: readonly Uint8Array<ArrayBuffer>[]
}

export interface LoadRequest {
  readonly source: MediaSource
  readonly limits: MediaLimits
  readonly urls: ReferenceUrls
  readonly signal: AbortSignalLike
}

/** Reads every reference, one after the other. Rejects as `MediaSource.open` does. */
export async function loadReferenceMedia(request: LoadRequest): Promise<ReferenceMedia> {
  const { limits, urls } = request
  let leftBytes = limits.requestBytes
  async function loadAll(
    kind: MediaKind,
    list: readonly string[],
    fileBytes: number,
  ): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    const files: Uint8Array<ArrayBuffer>[] = []
    for (const url of list) {
      // In turn: what is left of the request's bound is known only then.
      // oxlint-disable-next-line no-await-in-loop
      const file = await load(request, kind, url, Math.min(fileBytes, leftBytes))
      leftBytes -= file.byteLength
      files.push(file)
    }
    return files
  }
  return {
    images: await loadAll("image", urls.images, limits.imageBytes),
    videos: await loadAll("video", urls.videos, limits.videoBytes),
    audios: await loadAll("audio", urls.audios, limits.audioBytes),
  }
}

async function load(
  { source, signal }: LoadRequest,
  kind: MediaKind,
  url: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (maxBytes <= 0) throw tooLarge()
  const media = await source.open({ url, kinds: [kind], maxBytes, signal })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of media.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  const file = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    file.set(chunk, at)
    at += chunk.byteLength
  }
  return file
}

function tooLarge(): SafelightError {
  const message = "the reference media are larger than allowed"
  return new SafelightError({ code: "media_too_large", message })
}
