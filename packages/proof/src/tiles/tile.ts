/**
 * Tiles, as C2SP tlog-tiles cuts a tree: 256 hashes that stand side by side. At level 0 they are leaf hashes, and
 * at each level above they are the roots of full tiles of the level below. What a reader would get wrong: a tile that
 * is not full yet counts for nothing above it.
 */
import { HASH_BYTES } from "../bytes/sha256.ts"

/** The hashes of a full tile. */
export const TILE_WIDTH = 256

/** A full tile spans so many levels of the tree. */
export const TILE_HEIGHT = 8

export const TILE_BYTES = TILE_WIDTH * HASH_BYTES

export interface TilePlace {
  readonly level: number
  /** From 0 within the level. */
  readonly index: number
}

export interface SizedTile extends TilePlace {
  /** How many hashes: 1 to 256. */
  readonly width: number
}

export interface Tile extends SizedTile {
  /** `width` hashes of 32 bytes. */
  readonly hashes: Uint8Array
}

/** How many hashes a level has in a tree of `size` leaves. */
export function countHashes(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level)
}

/** How wide a tile is in a tree of `size` leaves; 0 if it is not there. */
export function toTileWidth({ level, index }: TilePlace, size: number): number {
  const width = countHashes(level, size) - index * TILE_WIDTH
  return Math.max(0, Math.min(TILE_WIDTH, width))
}

/** The tiles of a tree that are not full, at most one a level, level 0 first. */
export function listPartialTiles(size: number): SizedTile[] {
  const tiles: SizedTile[] = []
  for (let level = 0; countHashes(level, size) > 0; level += 1) {
    const hashes = countHashes(level, size)
    const width = hashes % TILE_WIDTH
    if (width > 0) tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH), width })
  }
  return tiles
}

/** The hash at `place` of a tile, as a view into it. */
export function takeHash(hashes: Uint8Array, place: number): Uint8Array {
  return hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)
}
