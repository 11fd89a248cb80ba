/** Tiles: their names, which there are, what is in them, and how a tree is continued from them. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createTreeBuilder,
  listPartialTiles,
  parseTilePath,
  proveInclusion,
  readRoot,
  TILE_WIDTH,
  toTilePath,
  toTileWidth,
  type Tile,
} from "@safelight/proof"
import * as fc from "fast-check"
import { treeHash } from "../support/reference-tree.ts"
import { buildTree, sampleLeaves, toSource, tree } from "./sample-tree.ts"

const LARGEST = 65_793
const leaves = sampleLeaves(LARGEST)

describe("the name of a tile", () => {
  it("is the one of C2SP tlog-tiles", () => {
    for (const [path, tile] of [
      ["tile/0/x001/x234/067", { level: 0, index: 1_234_067, width: 256 }],
      ["tile/0/000", { level: 0, index: 0, width: 256 }],
      ["tile/1/000.p/3", { level: 1, index: 0, width: 3 }],
      ["tile/63/999.p/255", { level: 63, index: 999, width: 255 }],
      ["tile/2/x001/000", { level: 2, index: 1_000, width: 256 }],
    ] as const) {
      assert.equal(toTilePath(tile), path)
      assert.deepEqual(parseTilePath(path), tile)
    }
  })

  it("is read back, for any tile", () => {
    const members = {
      level: fc.integer({ min: 0, max: 63 }),
      index: fc.maxSafeNat(),
      width: fc.integer({ min: 1, max: TILE_WIDTH }),
    }
    const tile = fc.record(members, { noNullPrototype: true })
    fc.assert(fc.property(tile, (each) => assert.deepEqual(parseTilePath(toTilePath(each)), each)))
  })

  it("is the only one: others are no tile's", () => {
    for (const path of [
      "",
      "tile/0/0",
      "tile/0/00",
      "tile/0/0000",
      "tile/00/000",
      "tile/64/000",
      "tile/-1/000",
      "tile/0/x000/001",
      "tile/0/001/002",
      "tile/0/x001",
      "tile/0/000.p/0",
      "tile/0/000.p/256",
      "tile/0/000.p/01",
      "tile/0/000.p/",
      "tile/0/000/",
      "/tile/0/000",
      "tile/0/000\n",
      "tile/0/x009/x007/x199/x254/x740/992",
      "tile/0/x001/x001/x001/x001/x001/x001/001",
      "tile/entries/000",
      "tile/0/../000",
    ]) {
      assert.equal(parseTilePath(path), undefined, path)
    }
  })
})

describe("the tiles of a tree", () => {
  it("are those that the specification counts for 70,000 leaves, and for 256", () => {
    assert.deepEqual(listPartialTiles(70_000), [
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ])
    assert.deepEqual(listPartialTiles(256), [{ level: 1, index: 0, width: 1 }])
    assert.deepEqual(listPartialTiles(0), [])
    assert.equal(toTileWidth({ level: 0, index: 272 }, 70_000), 256)
    assert.equal(toTileWidth({ level: 1, index: 0 }, 70_000), 256)
    assert.equal(toTileWidth({ level: 0, index: 274 }, 70_000), 0)
  })

  it("are given by the builder, each as soon as it is full", () => {
    const builder = createTreeBuilder({ tree })
    for (const [index, leaf] of leaves.entries()) {
      const full = builder.append(leaf)
      const size = index + 1
      const expected = [1, 2, 3]
        .filter((levels) => size % 256 ** levels === 0)
        .map((levels) => ({ level: levels - 1, index: size / 256 ** levels - 1, width: 256 }))
      assert.deepEqual(full.map(toPlace), expected)
      if (size % 4_099 === 0 || size === LARGEST) {
        assert.deepEqual(builder.partialTiles().map(toPlace), listPartialTiles(size))
      }
    }
  })

  it("hold what MTH says of their leaves", () => {
    const { tiles } = buildTree(leaves)
    for (const [path, place, start, end] of [
      ["tile/0/000", 7, 7, 8],
      ["tile/0/257.p/1", 0, 65_792, 65_793],
      ["tile/1/000", 255, 255 * 256, 65_536],
      ["tile/1/001.p/1", 0, 65_536, 65_792],
      ["tile/2/000.p/1", 0, 0, 65_536],
    ] as const) {
      const hashes = Buffer.from(tiles.get(path)?.hashes ?? [])
      const hash = hashes.subarray(place * 32, place * 32 + 32)
      assert.deepEqual(hash, treeHash(leaves.slice(start, end)), path)
    }
  })

  it("continue a tree from any size, to the same tiles and roots", () => {
    const whole = buildTree(leaves)
    for (const size of [0, 1, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, LARGEST]) {
      const { tiles: before } = buildTree(leaves.slice(0, size))
      const partialTiles = listPartialTiles(size).map((place) => get(before, place))
      const builder = createTreeBuilder({ tree, size, partialTiles })
      assert.deepEqual(builder.partialTiles(), partialTiles)
      const added = leaves.slice(size).flatMap((leaf) => builder.append(leaf))
      assert.equal(builder.size, LARGEST)
      assert.deepEqual(builder.root(), whole.root)
      for (const tile of [...added, ...builder.partialTiles()]) {
        assert.deepEqual(tile, get(whole.tiles, tile))
      }
    }
  })

  it("are copied: what is given out changes no tree", () => {
    const builder = createTreeBuilder({ tree })
    const leaf = Buffer.from(leaves[0] ?? [])
    builder.append(leaf)
    leaf.fill(0)
    builder.partialTiles()[0]?.hashes.fill(0)
    assert.deepEqual(Buffer.from(builder.root()), leaves[0])
  })

  it("must be those of the size, and a leaf's hash must be one", () => {
    const { tiles } = buildTree(leaves.slice(0, 300))
    const partialTiles = listPartialTiles(300).map((place) => get(tiles, place))
    assert.throws(() => createTreeBuilder({ tree, size: 300 }), TypeError)
    assert.throws(() => createTreeBuilder({ tree, size: 301, partialTiles }), TypeError)
    assert.throws(() => createTreeBuilder({ tree, size: 44, partialTiles }), TypeError)
    const cut = partialTiles.map((tile) => ({ ...tile, hashes: tile.hashes.subarray(1) }))
    assert.throws(() => createTreeBuilder({ tree, size: 300, partialTiles: cut }), TypeError)
    assert.throws(() => createTreeBuilder({ tree }).append(new Uint8Array(31)), TypeError)
  })
})

describe("reading from tiles", () => {
  it("gives the root of every size that a larger tree went through", async () => {
    const { tiles } = buildTree(leaves)
    const wide = toSource(tiles, LARGEST)
    // What is kept of a tile is the widest that there was.
    const readTile = ({ index, level }: { readonly index: number; readonly level: number }) =>
      wide.readTile({ level, index, width: toTileWidth({ level, index }, LARGEST) })
    for (const size of [0, 1, 2, 255, 256, 257, 600, 40_000, 65_535, 65_536, 65_537]) {
      const root = await readRoot({ tree, size, readTile })
      assert.deepEqual(Buffer.from(root), treeHash(leaves.slice(0, size)), `${size}`)
    }
  })

  it("rejects if a tile is shorter than the tree, and with the reader's own error", async () => {
    const { source } = buildTree(leaves.slice(0, 300))
    const short = { ...source, readTile: () => new Uint8Array(32) }
    await assert.rejects(readRoot(short), RangeError)
    const broken = new Error("the disk is gone")
    const failing = {
      ...source,
      readTile: () => Promise.reject(broken),
    }
    await assert.rejects(proveInclusion(failing, 3), broken)
  })
})

function toPlace({ index, level, width }: Tile): Omit<Tile, "hashes"> {
  return { level, index, width }
}

function get(tiles: ReadonlyMap<string, Tile>, place: Omit<Tile, "hashes">): Tile {
  const tile = tiles.get(toTilePath(place))
  assert.ok(tile !== undefined, toTilePath(place))
  return tile
}
