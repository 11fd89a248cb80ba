/**
 * Reference media brought into a rendering's folder, within bounds. They are written as they arrive, so
 * that a slow server takes up no memory. Videos and sounds are measured there and removed, since nothing
 * is drawn with them. No URL leaves this file, nor does the media source's own message, which might quote
 * one.
 */
import { createHash } from "node:crypto"
import { open, rm, type FileHandle } from "node:fs/promises"
import { join } from "node:path"
import {
  SafelightError,
  type AbortSignalLike,
  type Clock,
  type MediaFacts,
  type MediaInspector,
  type MediaKind,
  type MediaSource,
} from "@safelight/core"
import type { ReferenceSound, ReferenceVideo } from "@safelight/painter"
import { DEFAULTS } from "./defaults.ts"
import type { ReferenceMedia } from "./rendering-job.ts"

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
  /** Who asked for the rendering. */
  readonly account: string
  /** A task that another process took may refer to media though there is no source, or no inspector, here. */
  readonly source: MediaSource | undefined
  readonly inspector: MediaInspector | undefined
  readonly limits: MediaLimits
  readonly urls: ReferenceUrls
  /** Where the files go. */
  readonly folder: string
  readonly signal: AbortSignalLike
  readonly clock: Clock
}

/**
 * Fetches every reference, one after the other, in `DEFAULTS.loadMs` for all of them. Rejects as
 * `MediaSource.open` and `MediaInspector.inspect` do.
 */
export async function loadReferenceMedia(request: LoadRequest): Promise<ReferenceMedia> {
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

async function loadAll(request: LoadRequest): Promise<ReferenceMedia> {
  const { limits, urls } = request
  let leftBytes = limits.requestBytes
  async function loadKind<Loaded>(
    kind: MediaKind,
    fileBytes: number,
    take: (file: LoadedFile) => Promise<Loaded>,
  ): Promise<readonly Loaded[]> {
    const taken: Loaded[] = []
    for (const [index, url] of urls[`${kind}s`].entries()) {
      const path = join(request.folder, `${kind}-${index}`)
      const maxBytes = Math.min(fileBytes, leftBytes)
      // One after the other: only then is it known how much of the request's limit is left.
      // oxlint-disable-next-line no-await-in-loop
      const file = await load(request, { kind, url, maxBytes }, path)
      leftBytes -= file.bytes
      // oxlint-disable-next-line no-await-in-loop
      taken.push(await take(file))
    }
    return taken
  }

  async function measure({ bytes, kind, path, sha256 }: LoadedFile): Promise<ReferenceVideo> {
    const { durationMs = 0, size } = await inspect(request, { bytes, kind, path })
    // Removed at once: the next one may be as large.
    await rm(path)
    return { durationMs, sha256, width: size?.width ?? 0, height: size?.height ?? 0 }
  }

  return {
    images: await loadKind("image", limits.imageBytes, async ({ path }) => path),
    videos: await loadKind("video", limits.videoBytes, measure),
    audios: await loadKind("audio", limits.audioBytes, async (file): Promise<ReferenceSound> => {
      const { durationMs, sha256 } = await measure(file)
      return { durationMs, sha256 }
    }),
  }
}

interface LoadedFile {
  readonly kind: MediaKind
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

async function load(
  { source, signal }: LoadRequest,
  {
    kind,
    url,
    maxBytes,
  }: { readonly kind: MediaKind; readonly url: string; readonly maxBytes: number },
  path: string,
): Promise<LoadedFile> {
  if (maxBytes <= 0) throw tooLarge()
  if (source === undefined) throw missing("media source")
  const media = await source.open({ url, kinds: [kind], maxBytes, signal })
  const handle = await open(path, "wx", 0o600)
  const hash = createHash("sha256")
  try {
    let bytes = 0
    for await (const chunk of media.body) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge()
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    return { kind, path, bytes, sha256: hash.digest("hex") }
  } finally {
    await handle.close()
  }
}

async function inspect(
  { account, inspector, signal }: LoadRequest,
  { bytes, kind, path }: Omit<LoadedFile, "sha256">,
): Promise<MediaFacts> {
  if (inspector === undefined) throw missing("inspector")
  const handle = await open(path, "r")
  try {
    const read = (start: number, end: number): Promise<Uint8Array> => readRange(handle, start, end)
    return await inspector.inspect({ account, bytes, kinds: [kind], read, signal })
  } finally {
    await handle.close()
  }
}

async function readRange(handle: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await handle.read(new Uint8Array(end - start), { position: start })
  return buffer.subarray(0, bytesRead)
}

function missing(port: string): SafelightError {
  const message = `the studio of this process was given no ${port}`
  return new SafelightError({ code: "media_download_failed", message })
}

function tooLarge(): SafelightError {
  const message = "the reference media are larger than allowed"
  return new SafelightError({ code: "media_too_large", message })
}
