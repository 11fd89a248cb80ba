/**
 * The file of a bundle of the tree: its 256 tiles of level 0, as tlog-tiles has them, and then its runs, a line of JSON
 * each, compressed as one frame by Zstandard. A tile is read by its range alone.
 */
import { createHash } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress } from "node:zlib"
import { BUNDLE_LEAVES, type ArchivedBundle, type LeafRun, type TreeBundle } from "@safelight/core"
import type { ByteRange } from "./read-range.ts"

export const TILE_BYTES = 8_192
export const BUNDLE_TILES = BUNDLE_LEAVES / 256
const TILES_BYTES = BUNDLE_TILES * TILE_BYTES

/** Of the runs, decompressed: 3 MB are usual. */
const MOST_RUNS_BYTES = 64 * 1024 * 1024

/** Some 1 ms of JSON. A bundle has 65,536 runs at most, of a leaf each. */
const RUNS_AT_ONCE = 16

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

export interface BundleFile extends Pick<ArchivedBundle, "firstAt" | "lastAt" | "runsSha256"> {
  readonly bytes: Uint8Array
}

/** Rejects with a RangeError if the file could not be read: task ids are far longer than a UUID. */
export async function toBundleFile({ id, runs, tiles }: TreeBundle): Promise<BundleFile> {
  const lines = await mapInTurns(runs, (run) => `${JSON.stringify(toLine(run))}\n`)
  const text = Buffer.from(lines.join(""))
  if (text.length > MOST_RUNS_BYTES) throw new RangeError(`bundle ${id} of the tree is too large`)
  const frame = await compress(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  return {
    bytes: Buffer.concat([tiles, frame]),
    firstAt: runs.reduce((least, run) => Math.min(least, run.firstAt), Infinity),
    lastAt: runs.reduce((most, run) => Math.max(most, run.lastAt), 0),
    runsSha256: sha256(frame),
  }
}

export function toTileRange({ locator }: ArchivedBundle, index: number): ByteRange {
  const start = (index % BUNDLE_TILES) * TILE_BYTES
  return { locator, start, end: start + TILE_BYTES - 1 }
}

export function toRunsRange({ bytes, locator }: ArchivedBundle): ByteRange {
  return { locator, start: TILES_BYTES, end: bytes - 1 }
}

/** A run whose entries are parsed when they are asked for: those of a whole bundle take much memory. */
export interface KeptRun extends Pick<LeafRun, "firstAt" | "lastAt" | "position"> {
  readonly count: number
  readonly line: string
}

/** Throws a RangeError if these are not the bytes that were archived. */
export async function readKeptRuns(
  frame: Uint8Array,
  { runsSha256 }: ArchivedBundle,
): Promise<readonly KeptRun[]> {
  if (sha256(frame) !== runsSha256) throw new RangeError("its runs are not those that were written")
  const text = await decompress(frame, { maxOutputLength: MOST_RUNS_BYTES })
  const lines = text.toString("utf8").split("\n").slice(0, -1)
  return mapInTurns(lines, (line) => {
    const { entries, ...run } = parseRun(line)
    return { ...run, count: entries.length, line }
  })
}

/** Lets others run in between. */
async function mapInTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
): Promise<readonly Made[]> {
  const made: Made[] = []
  for (let from = 0; from < items.length; from += RUNS_AT_ONCE) {
    // oxlint-disable-next-line no-await-in-loop -- others come in between
    if (from > 0) await setImmediate()
    made.push(...items.slice(from, from + RUNS_AT_ONCE).map((item) => make(item)))
  }
  return made
}

/** What was written is believed: its hash was compared. */
export function parseRun(line: string): LeafRun {
  const { entries, first_at, last_at, position } = JSON.parse(line) as ReturnType<typeof toLine>
  return { position, firstAt: first_at, lastAt: last_at, entries }
}

function toLine({ entries, firstAt, lastAt, position }: LeafRun) {
  return { position, first_at: firstAt, last_at: lastAt, entries }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}
