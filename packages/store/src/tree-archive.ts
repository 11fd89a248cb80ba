/** Moves old parts of the tree to files, and reads them there. */
import { setImmediate as nextTurn } from "node:timers/promises"
import {
  BUNDLE_LEAVES,
  SafelightError,
  type ArchivedBundle,
  type LeafRun,
  type TreeArchive,
  type TreeBundle,
} from "@safelight/core"
import type { ArchivedStreams } from "./archived-streams.ts"
import { toStep, type Connections } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"
import { TREE_ARCHIVE_STATEMENTS, type Range } from "./tree-archive-statements.ts"
import { TREE_STATEMENTS } from "./tree-statements.ts"

const TILE_LEAVES = 256
const BUNDLE_TILES = BUNDLE_LEAVES / TILE_LEAVES
const HASH_BYTES = 32

/** A bundle is read in so many, since SQLite answers at once: 2,048 leaves take some milliseconds. */
const PARTS = 32

export function createTreeArchive(
  { commit, read }: Pick<Connections, "commit" | "read">,
  compiler: Compiler,
): TreeArchive {
  const statements = TREE_ARCHIVE_STATEMENTS(compiler)
  const { readTree } = TREE_STATEMENTS(compiler)

  async function countBundles(): Promise<number> {
    const [counted] = await read(statements.countBundles, {})
    return counted?.count ?? 0
  }

  async function readParts(id: number): Promise<BundleParts> {
    const parts: BundleParts = { runs: [], tiles: [] }
    for (let part = id * PARTS; part < (id + 1) * PARTS; part += 1) {
      // oxlint-disable-next-line no-await-in-loop -- others come in between
      parts.tiles.push(...(await read(statements.listTiles, toRange(part, BUNDLE_TILES / PARTS))))
      // oxlint-disable-next-line no-await-in-loop -- see above
      parts.runs.push(...(await read(statements.listRuns, toRange(part, BUNDLE_LEAVES / PARTS))))
      // oxlint-disable-next-line no-await-in-loop -- see above
      await nextTurn()
    }
    return parts
  }

  return {
    async readBundle({ before }) {
      const id = await countBundles()
      const leaves = toRange(id, BUNDLE_LEAVES)
      const [tree] = await read(readTree, {})
      if ((tree?.size ?? 0) < leaves.end) return undefined
      const [last] = await read(statements.findLastAt, leaves)
      if ((last?.lastAt ?? Infinity) >= before) return undefined
      const parts = await readParts(id)
      // It is whole unless it was archived between two of the statements.
      return (await countBundles()) === id ? toBundle(id, parts) : undefined
    },
    async archiveBundle(bundle) {
      const { id } = bundle
      const steps = [
        toStep(statements.addBundle, bundle),
        toStep(statements.dropTiles, toRange(id, BUNDLE_TILES)),
        toStep(statements.dropRuns, toRange(id, BUNDLE_LEAVES)),
      ]
      return (await commit({ steps, isGuarded: true })) === true
    },
    listBundles: () => read(statements.listBundles, {}),
  }
}

/** What bundles have of the tree, for the reads that find nothing of it in the database. */
export interface BundleReads {
  /** Undefined if its bundle is not archived. */
  readTile(index: number): Promise<Uint8Array | undefined>
  /** The runs that have leaves of the range. */
  listRuns(range: Range): Promise<readonly LeafRun[]>
  /** The first run of around a moment that is the one. */
  findRunAround(at: number, isOurs: (run: LeafRun) => boolean): Promise<LeafRun | undefined>
}

export function createBundleReads(
  { read }: Pick<Connections, "read">,
  compiler: Compiler,
  { ask }: Pick<ArchivedStreams, "ask">,
): BundleReads {
  const { findBundles, findBundlesAround } = TREE_ARCHIVE_STATEMENTS(compiler)
  const { findTile } = TREE_STATEMENTS(compiler)

  async function readRuns(
    bundles: readonly ArchivedBundle[],
    wanted: { readonly from: number; readonly to: number; readonly at?: number },
  ): Promise<readonly LeafRun[]> {
    const found = await Promise.all(
      bundles.map((bundle) => ask((reader) => reader.readRuns({ bundle, ...wanted }))),
    )
    return found.flat()
  }

  return {
    async readTile(index) {
      const id = Math.floor(index / BUNDLE_TILES)
      const [bundle] = await read(findBundles, { start: id, end: id + 1 })
      if (bundle === undefined) return undefined
      const [above] = await read(findTile, { level: 1, position: id })
      const place = (index % BUNDLE_TILES) * HASH_BYTES
      const root = above?.hashes.subarray(place, place + HASH_BYTES)
      if (root?.length !== HASH_BYTES) throw incomplete(id)
      return ask((reader) => reader.readTile({ bundle, index, root }))
    },
    async listRuns({ end: to, start: from }) {
      if (to <= from) return []
      // The first leaf of a bundle may stand in the last run of the one before.
      const start = Math.floor((from - TILE_LEAVES) / BUNDLE_LEAVES)
      const end = Math.ceil(to / BUNDLE_LEAVES)
      return readRuns(await read(findBundles, { start, end }), { from, to })
    },
    async findRunAround(at, isOurs) {
      const all = { from: 0, to: Number.MAX_SAFE_INTEGER, at }
      for (const bundle of await read(findBundlesAround, { at })) {
        // oxlint-disable-next-line no-await-in-loop -- many may have the moment, if old events came late
        const run = (await readRuns([bundle], all)).find(isOurs)
        if (run !== undefined) return run
      }
      return undefined
    },
  }
}

function toRange(id: number, width: number): Range {
  return { start: id * width, end: (id + 1) * width }
}

interface BundleParts {
  readonly runs: LeafRun[]
  readonly tiles: { readonly hashes: Uint8Array }[]
}

function toBundle(id: number, { runs, tiles }: BundleParts): TreeBundle {
  const hashes = new Uint8Array(Buffer.concat(tiles.map((tile) => tile.hashes)))
  if (hashes.length !== BUNDLE_LEAVES * HASH_BYTES) throw incomplete(id)
  return { id, tiles: hashes, runs }
}

function incomplete(id: number): SafelightError {
  const { end, start } = toRange(id, BUNDLE_LEAVES)
  const message = `the tree has not all tiles of its leaves ${start} to ${end - 1}`
  return new SafelightError({ code: "storage-corrupt", message })
}
