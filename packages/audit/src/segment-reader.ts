/**
 * Reads segments of the archive where the artifacts are, and proves every chain that it reads. A part is one frame by Zstandard, with the lines of some
 * tasks. What was read lately is kept, since whoever reads an archived task often reads its events too, and a page of
 * an audit reads the tasks of a part one after the other.
 */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import {
  createBoundedCache,
  isSafelightError,
  SafelightError,
  type ArchivedStream,
  type ArchiveReader,
  type ArchiveReadRequest,
  type ArtifactStorage,
  type Digest,
} from "@safelight/core"
import { toEvents } from "./check-export.ts"
import { checkStream } from "./check-stream.ts"
import { parseRecord } from "./parse-record.ts"

export interface ArchiveReaderOptions {
  readonly digest: Digest
  readonly artifacts: Pick<ArtifactStorage, "open">
}

/** At least as many, and at most twice: some 200 KB each. */
const KEPT_PARTS = 16

/** Compressed; a larger one is the part of a large task, and is not kept. */
const KEPT_BYTES = 256 * 1024

/** Of a part, decompressed: what a segment has is far below it. */
export const MOST_PART_BYTES = 64 * 1024 * 1024

const decompress = promisify(zstdDecompress)

export function createArchiveReader({ artifacts, digest }: ArchiveReaderOptions): ArchiveReader {
  const parts = createBoundedCache<Promise<readonly ArchivedStream[]>>(KEPT_PARTS)

  async function load(request: ArchiveReadRequest): Promise<readonly ArchivedStream[]> {
    const { bytes, offset, segment } = request
    try {
      const range = { locator: segment.locator, start: offset, end: offset + bytes - 1 }
      return await toStreams(await readRange(artifacts, range), digest)
    } catch (error) {
      throw toReadFailure(error, segment.id)
    }
  }

  return {
    read(request) {
      const { bytes, offset, segment } = request
      const name = `${segment.locator} ${offset} ${bytes}`
      const known = parts.get(name)
      if (known !== undefined) return known
      const reading = load(request)
      if (bytes > KEPT_BYTES) return reading
      parts.set(name, reading)
      reading.catch(() => parts.delete(name))
      return reading
    },
  }
}

/** Both ends are included. */
interface ByteRange {
  readonly locator: string
  readonly start: number
  readonly end: number
}

/** Rejects as the storage does, and with a RangeError if there is less. */
export async function readRange(
  artifacts: Pick<ArtifactStorage, "open">,
  range: ByteRange,
): Promise<Uint8Array> {
  const reader = await artifacts.open(range)
  try {
    const into = new Uint8Array(range.end - range.start + 1)
    for (let filled = 0; filled < into.length;) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const count = await reader.read(into.subarray(filled))
      if (count === 0) throw new RangeError("it has fewer bytes")
      filled += count
    }
    return into
  } finally {
    await reader.close()
  }
}

/** Those whose chain is whole: of another it can't be said that it was archived so. */
async function toStreams(frame: Uint8Array, digest: Digest): Promise<readonly ArchivedStream[]> {
  const text = await decompress(frame, { maxOutputLength: MOST_PART_BYTES })
  return text
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map(parseRecord)
    .flatMap((record) => {
      if (record.kind !== "stream") return []
      const stream = { task: record.task, events: toEvents(record) }
      const { kind } = checkStream({ id: stream.task, events: stream.events }, digest)
      return kind === "whole" ? [stream] : []
    })
}

/** Whatever else goes wrong with bytes that were read is their own fault. */
export function toReadFailure(cause: unknown, id: number): SafelightError {
  const isOut = isSafelightError(cause) && cause.code === "artifacts-unavailable"
  const why = cause instanceof Error ? cause.message : String(cause)
  return new SafelightError({
    code: isOut ? "storage-unavailable" : "storage-corrupt",
    message: `segment ${id} of the archive can't be read: ${why}`,
    retryable: isOut,
    cause,
  })
}
