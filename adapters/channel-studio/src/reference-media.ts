/**
 * Reference media brought into a rendering's folder, within bounds: whatever a server takes its time
 * for, nothing of it is held in memory. A URL never leaves this file, nor does the media source's
 * own message, which might speak of it.
 */
import { open } from "node:fs/promises"
import { join } from "node:path"
import {
  SafelightError,
  type AbortSignalLike,
  type Clock,
  type MediaKind,
  type MediaSource,
} from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import type { MediaFiles } from "./rendering-job.ts"

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

export interface LoadRequest {
  readonly source: MediaSource
  readonly limits: MediaLimits
  readonly urls: ReferenceUrls
  /** Where the files go. */
  readonly folder: string
  readonly signal: AbortSignalLike
  readonly clock: Clock
}

/**
 * Fetches every reference, one after the other, in `DEFAULTS.loadMs` for all of them. Rejects as
 * `MediaSource.open` does.
 */
export async function loadReferenceMedia(request: LoadRequest): Promise<MediaFiles> {
  const { clock, signal } = request
  const ending = new AbortController()
  const over = new AbortController()
  const end = (): void => ending.abort()
  signal.addEventListener("abort", end, { once: true })
  if (signal.aborted) end()
  const late = clock.wait(DEFAULTS.loadMs, over.signal).then(end)
  try {
    return await loadAll({ ...request, signal: ending.signal })
  } catch (error) {
    if (!ending.signal.aborted || signal.aborted) throw error
    const message = "the reference media took too long together"
    throw new SafelightError({ code: "media_download_failed", message })
  } finally {
    signal.removeEventListener("abort", end)
    over.abort()
    await late
  }
}

async function loadAll(request: LoadRequest): Promise<MediaFiles> {
  const { limits, urls } = request
  let leftBytes = limits.requestBytes
  async function loadKind(
    kind: MediaKind,
    list: readonly string[],
    fileBytes: number,
  ): Promise<readonly string[]> {
    const files: string[] = []
    for (const [index, url] of list.entries()) {
      const file = join(request.folder, `${kind}-${index}`)
      const maxBytes = Math.min(fileBytes, leftBytes)
      // In turn: what is left of the request's bound is known only then.
      // oxlint-disable-next-line no-await-in-loop
      leftBytes -= await load(request, { kind, url, maxBytes }, file)
      files.push(file)
    }
    return files
  }
  return {
    images: await loadKind("image", urls.images, limits.imageBytes),
    videos: await loadKind("video", urls.videos, limits.videoBytes),
    audios: await loadKind("audio", urls.audios, limits.audioBytes),
  }
}

/** How many bytes `file` has. */
async function load(
  { source, signal }: LoadRequest,
  {
    kind,
    url,
    maxBytes,
  }: { readonly kind: MediaKind; readonly url: string; readonly maxBytes: number },
  file: string,
): Promise<number> {
  if (maxBytes <= 0) throw tooLarge()
  const media = await source.open({ url, kinds: [kind], maxBytes, signal })
  const handle = await open(file, "wx", 0o600)
  try {
    let bytes = 0
    for await (const chunk of media.body) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge()
      await handle.writeFile(chunk)
    }
    return bytes
  } finally {
    await handle.close()
  }
}

function tooLarge(): SafelightError {
  const message = "the reference media are larger than allowed"
  return new SafelightError({ code: "media_too_large", message })
}
