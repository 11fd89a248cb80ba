/**
 * The hashes of subtrees, from tiles. Each tile is read once, all of them together; within a tile the levels of the
 * tree between those that tiles hold are hashed again.
 */
import type { TreeHash } from "../tree/hash-tree.ts"
import type { Subtree } from "../tree/ranges.ts"
import { HASH_BYTES } from "../bytes/sha256.ts"
import { takeHash, TILE_HEIGHT, TILE_WIDTH, toTileWidth, type SizedTile } from "./tile.ts"

/**
 * Resolves to the first `width` hashes of a tile; more may follow. A tile that is no longer there so narrow is given
 * as wide as it is. Rejects as it likes, with nothing of this package.
 */
export type ReadTile = (tile: SizedTile) => Uint8Array | Promise<Uint8Array>

export interface TreeSource {
  readonly tree: TreeHash
  readonly readTile: ReadTile
  /** Of the tree that the tiles are read of; they may belong to a larger one. */
  readonly size: number
  /**
   * Keeps hashes within tiles, for whoever makes many proofs of one tree: nearly all of a proof's hashes are those of its
   * neighbours. At most 62 for a tile.
   */
  readonly spans?: {
    get(key: string): Uint8Array | undefined
    set(key: string, hash: Uint8Array): unknown
  }
}

/** Smaller ones cost less to hash than to keep. */
const LEAST_KEPT_SPAN = 8

/** Resolves to a hash for each subtree. Rejects with a RangeError if a tile is shorter than it must be. */
export async function readSubtrees(
  source: TreeSource,
  subtrees: readonly Subtree[],
): Promise<Uint8Array[]> {
  const needed = new Map(
    subtrees.map((subtree) => {
      const tile = findTile(subtree, source.size)
      return [toName(tile), tile]
    }),
  )
  const read = await Promise.all(
    Array.from(needed, async ([name, tile]) => [name, await readWhole(source, tile)] as const),
  )
  const tiles = new Map(read)
  return subtrees.map((subtree) => {
    const name = toName(findTile(subtree, source.size))
    const hashes = tiles.get(name)
    if (hashes === undefined) throw new TypeError("a tile was not read")
    const count = 2 ** (subtree.height % TILE_HEIGHT)
    const start = (subtree.index * count) % TILE_WIDTH
    return hashSpan({ ...source, name, hashes }, start, count)
  })
}

function findTile({ height, index }: Subtree, size: number): SizedTile {
  const level = Math.floor(height / TILE_HEIGHT)
  const first = index * 2 ** (height % TILE_HEIGHT)
  const place = { level, index: Math.floor(first / TILE_WIDTH) }
  return { ...place, width: toTileWidth(place, size) }
}

function toName({ index, level }: SizedTile): string {
  return `${level}/${index}`
}

async function readWhole({ readTile }: TreeSource, tile: SizedTile): Promise<Uint8Array> {
  const hashes = await readTile(tile)
  if (hashes.length >= tile.width * HASH_BYTES) return hashes
  const { index, level, width } = tile
  throw new RangeError(`tile ${index} of level ${level} has fewer than ${width} hashes`)
}

interface ReadTileSource extends Pick<TreeSource, "spans" | "tree"> {
  readonly name: string
  readonly hashes: Uint8Array
}

/** `count` is a power of two up to 128. */
function hashSpan(source: ReadTileSource, start: number, count: number): Uint8Array {
  const { hashes, name, spans, tree } = source
  if (count === 1) return takeHash(hashes, start).slice()
  const kept = count < LEAST_KEPT_SPAN ? undefined : spans
  const key = kept === undefined ? "" : `${name}/${start}/${count}`
  const known = kept?.get(key)
  if (known !== undefined) return known
  const half = count / 2
  const hash = tree.hashNode(hashSpan(source, start, half), hashSpan(source, start + half, half))
  kept?.set(key, hash)
  return hash
}
