/**
 * The port `MediaInspector`. Only the first bytes are read here, which decide the type; a parser of containers
 * never runs in the host.
 *
 *   first bytes → image: nothing more is read
 *               → video, sound: measured in a process of its own
 */
import { fileTypeFromBuffer } from "file-type"
import {
  MEDIA_SAMPLE_BYTES,
  toMediaTypes,
  type InspectedMedia,
  type MediaFacts,
  type MediaInspector,
} from "@safelight/core"
import { createMeasuringPool, type MeasuringPool } from "./measuring-pool.ts"
import { aborted, unsupportedType } from "./media-fault.ts"
import { checkOptions, type MediaInspectorOptions } from "./options.ts"

/** Throws `invalid-configuration`, naming the option. Starts no process before it needs one. */
export function createMediaInspector(options: MediaInspectorOptions = {}): MediaInspector {
  const pool = createMeasuringPool(checkOptions(options))
  const underWay = new Set<AbortController>()
  let isClosed = false

  return {
    async inspect(media) {
      const controller = new AbortController()
      const stop = (): void => controller.abort()
      if (isClosed || media.signal.aborted) stop()
      media.signal.addEventListener("abort", stop, { once: true })
      underWay.add(controller)
      try {
        return await inspect(pool, media, controller.signal)
      } finally {
        underWay.delete(controller)
        media.signal.removeEventListener("abort", stop)
      }
    },
    async close() {
      isClosed = true
      for (const each of underWay) each.abort()
      await pool.close()
    },
  }
}

async function inspect(
  pool: MeasuringPool,
  media: InspectedMedia,
  signal: AbortSignal,
): Promise<MediaFacts> {
  const read = (start: number, end: number): Promise<Uint8Array> =>
    readRange(media, { start, end, signal })
  if (media.bytes === 0) throw unsupportedType(media.kinds)
  const sample = await read(0, Math.min(media.bytes, MEDIA_SAMPLE_BYTES))
  const types = toMediaTypes((await fileTypeFromBuffer(sample))?.mime, media.kinds)
  const [first] = types
  if (first === undefined) throw unsupportedType(media.kinds)
  if (first.kind === "image") return first
  // The other types are what the same container may be, and so videos or sounds too.
  const kinds = types.map(({ kind }) => kind)
  const { account, bytes } = media
  const { kind, ...facts } = await pool.measure({ account, bytes, kinds, read, signal })
  return { ...(types.find((each) => each.kind === kind) ?? first), ...facts }
}

interface Range {
  readonly start: number
  readonly end: number
  readonly signal: AbortSignal
}

/** Rejects as `media.read` does, and with `aborted` once `signal` aborts, even if `media.read` ignores it. */
async function readRange(
  media: InspectedMedia,
  { start, end, signal }: Range,
): Promise<Uint8Array> {
  const bytes = await orAborted(media.read(start, end), signal)
  if (bytes.byteLength === end - start) return bytes
  throw new Error(`read gave ${bytes.byteLength} bytes instead of ${end - start}`)
}

function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(aborted())
    const settle = (): void => signal.removeEventListener("abort", stop)
    signal.addEventListener("abort", stop, { once: true })
    work.then(resolve, reject).finally(settle)
    if (signal.aborted) stop()
  })
}
