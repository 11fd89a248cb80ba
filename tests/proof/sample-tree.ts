/** Trees of made-up leaves, with their tiles as a map by their paths. */
import {
  createTreeBuilder,
  createTreeHash,
  toTilePath,
  type ReadTile,
  type Tile,
  type TreeSource,
} from "@safelight/proof"
import { sha256 } from "@safelight/proof/node"

export const tree = createTreeHash(sha256)

/** The hash of the leaf at `index`. */
export function sampleLeaf(index: number): Uint8Array {
  return tree.hashLeaf(Buffer.from(`leaf ${index}`))
}

export function sampleLeaves(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => sampleLeaf(index))
}

export interface SampleTree {
  /** By path, those that are not full too. */
  readonly tiles: ReadonlyMap<string, Tile>
  readonly root: Uint8Array
  readonly source: TreeSource
}

export function buildTree(leaves: readonly Uint8Array[]): SampleTree {
  const builder = createTreeBuilder({ tree })
  const full = leaves.flatMap((leaf) => builder.append(leaf))
  const all = [...full, ...builder.partialTiles()]
  const tiles = new Map(all.map((tile) => [toTilePath(tile), tile]))
  return { tiles, root: builder.root(), source: toSource(tiles, leaves.length) }
}

/** Rejects if a tile is asked for that the tree does not have. */
export function toSource(tiles: ReadonlyMap<string, Tile>, size: number): TreeSource {
  const readTile: ReadTile = async (place) => {
    const tile = tiles.get(toTilePath(place))
    if (tile === undefined) throw new Error(`there is no ${toTilePath(place)}`)
    return tile.hashes
  }
  return { tree, size, readTile }
}

export function toHexes(hashes: readonly Uint8Array[]): string[] {
  return hashes.map((hash) => Buffer.from(hash).toString("hex"))
}
