/**
 * Builds a tree leaf by leaf: it gives the tiles that came to be, and the root at any moment. Its state is the tiles
 * that are not full, at most one a level, so a tree of any size is continued from them. Each leaf costs two hashes
 * at most, on average.
 */
import type { TreeHash } from "../tree/hash-tree.ts"
import { HASH_BYTES, isHash } from "../bytes/sha256.ts"
import {
  countHashes,
  listPartialTiles,
  takeHash,
  TILE_BYTES,
  TILE_WIDTH,
  type Tile,
} from "./tile.ts"

export interface TreeBuilderOptions {
  readonly tree: TreeHash
  /** Leaves that the tree has already; 0 by default. */
  readonly size?: number
  /** The tiles of `listPartialTiles(size)`, which are copied; none by default. */
  readonly partialTiles?: readonly Tile[]
}

export interface TreeBuilder {
  readonly size: number
  /** Adds a leaf by its hash. Returns the tiles that it fills, if any, level 0 first. Throws a TypeError for another length. */
  append(leafHash: Uint8Array): readonly Tile[]
  /** The tiles that are not full, level 0 first, as copies. */
  partialTiles(): readonly Tile[]
  root(): Uint8Array
}

interface Edge {
  hashes: Uint8Array
  width: number
  index: number
  /** The roots of the full subtrees in the tile, largest first. */
  readonly roots: Uint8Array[]
}

/** Throws a TypeError if the tiles are not those that a tree of `size` has. */
export function createTreeBuilder(options: TreeBuilderOptions): TreeBuilder {
  const { tree } = options
  let size = options.size ?? 0
  const edges = createEdges(size)

  /** Returns the tile if the hash fills it. */
  function push(level: number, hash: Uint8Array): Tile | undefined {
    const edge = (edges[level] ??= createEdge(0))
    edge.hashes.set(hash, edge.width * HASH_BYTES)
    edge.roots.push(takeHash(edge.hashes, edge.width))
    edge.width += 1
    for (let rest = edge.width; rest % 2 === 0; rest /= 2) joinLast(edge.roots)
    if (edge.width < TILE_WIDTH) return undefined
    edges[level] = createEdge(edge.index + 1)
    return { level, index: edge.index, width: TILE_WIDTH, hashes: edge.hashes }
  }

  function joinLast(roots: Uint8Array[]): void {
    const [left, right] = roots.splice(-2)
    if (left !== undefined && right !== undefined) roots.push(tree.hashNode(left, right))
  }

  function append(leafHash: Uint8Array): readonly Tile[] {
    if (!isHash(leafHash)) throw new TypeError(`a leaf's hash has ${leafHash.length} bytes`)
    size += 1
    const full: Tile[] = []
    let hash = leafHash
    for (let level = 0; ; level += 1) {
      const roots = (edges[level] ??= createEdge(0)).roots
      const tile = push(level, hash)
      if (tile === undefined) return full
      full.push(tile)
      const [root] = roots
      if (root === undefined) throw new TypeError("a full tile has no root")
      hash = root
    }
  }

  restore(options, push)
  return {
    get size() {
      return size
    },
    append,
    partialTiles: () =>
      edges.flatMap(({ hashes, index, width }, level) =>
        width === 0 ? [] : [{ level, index, width, hashes: hashes.slice(0, width * HASH_BYTES) }],
      ),
    root() {
      // Smaller subtrees stand to the right of larger ones, and lower levels to the right of higher ones.
      const roots = edges.flatMap((edge) => edge.roots.toReversed())
      return roots.length === 0
        ? tree.emptyRoot
        : roots.reduce((right, left) => tree.hashNode(left, right))
    },
  }
}

function createEdge(index: number): Edge {
  return { hashes: new Uint8Array(TILE_BYTES), width: 0, index, roots: [] }
}

/** Of each level that has hashes, the tile that the next one goes into. */
function createEdges(size: number): Edge[] {
  const edges: Edge[] = []
  for (let level = 0; countHashes(level, size) > 0; level += 1) {
    edges.push(createEdge(Math.floor(countHashes(level, size) / TILE_WIDTH)))
  }
  return edges
}

function restore(
  { partialTiles = [], size = 0 }: TreeBuilderOptions,
  push: (level: number, hash: Uint8Array) => void,
): void {
  const expected = listPartialTiles(size)
  if (expected.length !== partialTiles.length) {
    throw new TypeError(`a tree of ${size} leaves has ${expected.length} partial tiles`)
  }
  for (const { level, index, width } of expected) {
    const tile = partialTiles.find((each) => each.level === level && each.index === index)
    if (tile?.width !== width || tile.hashes.length !== width * HASH_BYTES) {
      throw new TypeError(`tile ${index} of level ${level} is not ${width} hashes wide`)
    }
    for (let place = 0; place < width; place += 1) push(level, takeHash(tile.hashes, place))
  }
}
