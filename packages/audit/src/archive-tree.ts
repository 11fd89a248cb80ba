/**
 * Moves old parts of the tree from the database to files. A file is whole, durable, and read back before the database lets
 * go of what it has: so whatever is killed where, every leaf is in the database or in a file that can be read.
 */
import {
  ARCHIVE_TASK,
  SafelightError,
  type ArtifactStorage,
  type Storage,
  type TreeBundle,
} from "@safelight/core"
import { setImmediate } from "node:timers/promises"
import { BUNDLE_TILES, TILE_BYTES, toBundleFile } from "./bundle-file.ts"
import type { HashTile } from "./bundle-reader.ts"
import { readRange } from "./read-range.ts"

export interface TreeArchiveOptions {
  readonly storage: Pick<Storage, "archiveBundle" | "readBundle" | "readTile">
  readonly artifacts: Pick<ArtifactStorage, "open" | "put">
  readonly hashTile: HashTile
  /** Milliseconds. */
  readonly now: number
  /** Milliseconds: leaves of earlier events are moved. */
  readonly before: number
}

export interface TreeArchiveReport {
  /** That left the database, of 65,536 leaves each. */
  readonly bundles: number
  /** Of their files. */
  readonly bytes: number
}

/** So many tiles are hashed in some 3 ms, in which others wait. */
const TILES_AT_ONCE = 8

/**
 * Rejects as both storages do, and with `storage-corrupt` where tiles are not those that the tree above them has, or a
 * file is not read back as it was written. What was moved until then stays so.
 */
export async function archiveTree(options: TreeArchiveOptions): Promise<TreeArchiveReport> {
  const { before, storage } = options
  let [bundles, bytes] = [0, 0]
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const bundle = await storage.readBundle({ before })
    // oxlint-disable-next-line no-await-in-loop -- see above
    const moved = bundle && (await moveBundle(options, bundle))
    // Another process moves them, if this one did not.
    if (moved === undefined) return { bundles, bytes }
    bundles += 1
    bytes += moved
  }
}

/** Resolves to the bytes of its file; undefined if another process has moved it. */
async function moveBundle(
  options: TreeArchiveOptions,
  bundle: TreeBundle,
): Promise<number | undefined> {
  const { artifacts, now: at, storage } = options
  const { id } = bundle
  await proveTiles(options, bundle)
  const { bytes: body, ...file } = await toBundleFile(bundle)
  const name = { task: ARCHIVE_TASK, key: toBundleKey(id) }
  const stored = await artifacts.put({ ...name, body: inPieces(body) })
  const { bytes, locator } = stored
  const readBack = await readRange(artifacts, { locator, start: 0, end: bytes - 1 })
  if (Buffer.compare(readBack, body) !== 0) {
    throw corrupt(`bundle ${id} of the tree was not read back as it was written`)
  }
  return (await storage.archiveBundle({ id, at, ...file, ...stored })) ? bytes : undefined
}

/** Each tile has its root in the tile above, which stays in the database. */
async function proveTiles(
  { hashTile, storage }: TreeArchiveOptions,
  { id, tiles }: TreeBundle,
): Promise<void> {
  const roots = (await storage.readTile({ level: 1, index: id })) ?? new Uint8Array(0)
  const width = roots.length / BUNDLE_TILES
  for (let place = 0; place < BUNDLE_TILES; place += 1) {
    const root = hashTile(tiles.subarray(place * TILE_BYTES, (place + 1) * TILE_BYTES))
    if (Buffer.compare(root, roots.subarray(place * width, (place + 1) * width)) !== 0) {
      const index = id * BUNDLE_TILES + place
      throw corrupt(`tile ${index} of the tree is not the one that the tile above it has`)
    }
    // oxlint-disable-next-line no-await-in-loop -- others come in between
    if (place % TILES_AT_ONCE === 0) await setImmediate()
  }
}

const PIECE_BYTES = 64 * 1024

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

/** Under which its file is stored. */
export function toBundleKey(id: number): string {
  return `tree-${id}`
}

function corrupt(why: string): SafelightError {
  const message = `${why}: it stays in the database`
  return new SafelightError({ code: "storage-corrupt", message })
}
