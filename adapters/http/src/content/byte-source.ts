/**
 * The bytes of one answer, read in order: an artifact's ranges, and what stands in memory (the heads
 * between the parts of a multipart answer, or an input of a task). At most one `ArtifactReader` is open
 * at a time; the first is opened before the headers go out, each later one when its part begins.
 */
import { SafelightError, type ArtifactReader } from "@safelight/core"
import type { ByteRange } from "./ranges.ts"

export interface ByteSource {
  /** The bytes that `read` gives in all: the answer's Content-Length. */
  readonly lengthBytes: number
  /**
   * Fills `into` from its start with the next bytes; resolves to how many, 0 at the end. Rejects as
   * `ArtifactReader.read`, and with `artifacts-unavailable` if the storage has fewer bytes.
   */
  read(into: Uint8Array): Promise<number>
  /** Frees what is open; safe to call twice, but not while a read runs. */
  close(): Promise<void>
}

/** Bytes to be sent as they stand, or a range of the artifact. */
export type Segment = Uint8Array | ByteRange

/** The ranges of an artifact. */
export interface OpenedRanges {
  /** Reads the first range; closed by the source. Undefined: it is opened once it is read. */
  readonly first: ArtifactReader | undefined
  /** Opens each later range. */
  readonly open: (range: ByteRange) => Promise<ArtifactReader>
}

/** `artifact` may be absent only if no segment is a range. */
export function createByteSource(
  segments: readonly Segment[],
  artifact?: OpenedRanges,
): ByteSource {
  let reader = artifact?.first
  let index = 0
  /** Bytes of the current segment that were read. */
  let done = 0

  async function readRange(range: ByteRange, into: Uint8Array): Promise<number> {
    reader ??= await artifact?.open(range)
    if (reader === undefined) throw new Error("a range of nothing")
    const left = toLength(range) - done
    const count = await reader.read(into.length > left ? into.subarray(0, left) : into)
    if (count === 0) throw tooShort()
    return count
  }

  async function close(): Promise<void> {
    const opened = reader
    reader = undefined
    await opened?.close()
  }

  return {
    lengthBytes: segments.reduce((sum, segment) => sum + toLength(segment), 0),
    async read(into) {
      const segment = segments[index]
      if (segment === undefined) return 0
      const count = isRange(segment) ? await readRange(segment, into) : copy(segment, done, into)
      done += count
      if (done < toLength(segment)) return count
      index += 1
      done = 0
      if (isRange(segment)) await close()
      return count
    },
    close,
  }
}

export function isRange(segment: Segment): segment is ByteRange {
  return !(segment instanceof Uint8Array)
}

function toLength(segment: Segment): number {
  return isRange(segment) ? segment.end - segment.start + 1 : segment.length
}

function copy(text: Uint8Array, from: number, into: Uint8Array): number {
  const piece = text.subarray(from, from + into.length)
  into.set(piece)
  return piece.length
}

function tooShort(): SafelightError {
  return new SafelightError({
    code: "artifacts-unavailable",
    message: "an artifact ended before its last byte",
  })
}
