/**
 * The port `MediaInspector`. Only the first bytes are looked at here, to tell the type; a parser of
 * containers never runs in the host.
 *
 *   first bytes → image: told by them alone
 *               → video, sound → measured in a process of its own
 */
import type { InspectedMedia, MediaFacts, MediaInspector } from "@safelight/core"
import { createMeasuringPool, type MeasuringPool } from "./measuring-pool.ts"
import { detectTypes } from "./detect-types.ts"
import { unsupportedType } from "./media-fault.ts"
import { checkOptions, type MediaInspectorOptions } from "./options.ts"
import { readRange } from "./read-range.ts"

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
    readRange({ media, start, end, signal })
  const types = await detectTypes({ bytes: media.bytes, read }, media.kinds)
  const [first] = types
  if (first === undefined) throw unsupportedType(media.kinds)
  if (first.kind === "image") return first
  // Further ones are what the same container may be, and so videos or sounds too.
  const kinds = types.map(({ kind }) => kind)
  const { kind, ...facts } = await pool.measure({ bytes: media.bytes, kinds, read, signal })
  return { ...(types.find((each) => each.kind === kind) ?? first), ...facts }
}
