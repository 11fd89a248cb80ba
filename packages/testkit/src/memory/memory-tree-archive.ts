/**
 * Old parts of the tree, in the storage in memory: it only knows which are archived, and moves nothing, so that no read
 * needs a reader.
 */
import {
  BUNDLE_LEAVES,
  type ArchivedBundle,
  type LeafRun,
  type TreeArchive,
  type TreeBundle,
  type UnsequencedEvent,
} from "@safelight/core"

/** So many leaves a run, and hashes a tile. */
const WIDTH = 256

interface Tree {
  readonly leaves: readonly UnsequencedEvent[]
  /** By level and index. */
  readonly tiles: ReadonlyMap<string, Uint8Array>
}

export function createMemoryTreeArchive(readTree: () => Tree): TreeArchive {
  const bundles: ArchivedBundle[] = []
  return {
    async readBundle({ before }) {
      const start = bundles.length * BUNDLE_LEAVES
      const { leaves, tiles } = readTree()
      const bundled = leaves.slice(start, start + BUNDLE_LEAVES)
      if (bundled.length < BUNDLE_LEAVES || bundled.some(({ at }) => at >= before)) return undefined
      return toBundle(bundles.length, { leaves: bundled, tiles })
    },
    async archiveBundle(bundle) {
      const isNext = bundle.id === bundles.length
      if (isNext) bundles.push(bundle)
      return isNext
    },
    listBundles: async () => [...bundles],
  }
}

function toBundle(id: number, { leaves, tiles }: Tree): TreeBundle {
  const count = BUNDLE_LEAVES / WIDTH
  const places = Array.from({ length: count }, (_, index) => id * count + index)
  const hashes = places.map((index) => tiles.get(`0/${index}`) ?? new Uint8Array(0))
  const runs = places.map((place, index): LeafRun => {
    const part = leaves.slice(index * WIDTH, (index + 1) * WIDTH)
    const moments = part.map(({ at }) => at)
    return {
      position: place * WIDTH,
      firstAt: Math.min(...moments),
      lastAt: Math.max(...moments),
      entries: part.map(({ task, version }) => [task, version]),
    }
  })
  return { id, tiles: new Uint8Array(Buffer.concat(hashes)), runs }
}
