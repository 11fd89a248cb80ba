/**
 * Reads segments of the archive where the artifacts are, and proves every chain that it reads. A part is one frame by Zstandard, with the lines of some
 * tasks. What was read lately is kept, since whoever reads an archived task often reads its events too, and a page of
 * an audit reads the tasks of a part one after the other.
 */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import {
  createBoundedCache,
  type ArchivedStream,
  type ArchiveReader,
  type ArchiveReadRequest,
  type ArtifactStorage,
  type Digest,
  type SegmentReader,
} from "@safelight/core"
import { createBundleReader, type BundleReaderOptions } from "./bundle-reader.ts"
import { toEvents } from "./check-export.ts"
import { checkStream } from "./check-stream.ts"
import { parseRecord } from "./parse-record.ts"
import { toReadFailure } from "./read-failure.ts"
import { readRange } from "./read-range.ts"

export interface SegmentReaderOptions {
  readonly digest: Digest
  readonly artifacts: Pick<ArtifactStorage, "open">
}

export interface ArchiveReaderOptions extends SegmentReaderOptions, BundleReaderOptions {}

/** Both kinds of files. */
export function createArchiveReader(options: ArchiveReaderOptions): ArchiveReader {
  return { ...createSegmentReader(options), ...createBundleReader(options) }
}

/** At least as many, and at most twice: some 200 KB each. */
const KEPT_PARTS = 16

/** Compressed; a larger one is the part of a large task, and is not kept. */
const KEPT_BYTES = 256 * 1024

/** Of a part, decompressed: what a segment has is far below it. */
export const MOST_PART_BYTES = 64 * 1024 * 1024

const decompress = promisify(zstdDecompress)

export function createSegmentReader({ artifacts, digest }: SegmentReaderOptions): SegmentReader {
  const parts = createBoundedCache<Promise<readonly ArchivedStream[]>>(KEPT_PARTS)

  async function load(request: ArchiveReadRequest): Promise<readonly ArchivedStream[]> {
    const { bytes, offset, segment } = request
    try {
      const range = { locator: segment.locator, start: offset, end: offset + bytes - 1 }
      return await toStreams(await readRange(artifacts, range), digest)
    } catch (error) {
      throw toReadFailure(error, `segment ${segment.id} of the archive`)
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
