/** Reads archived bundles of the tree where the artifacts are, and believes nothing that was altered. */
import {
  createBoundedCache,
  type ArchivedBundle,
  type ArtifactStorage,
  type BundleReader,
} from "@safelight/core"
import { parseRun, readKeptRuns, toRunsRange, toTileRange, type KeptRun } from "./bundle-file.ts"
import { toReadFailure } from "./read-failure.ts"
import { readRange } from "./read-range.ts"

export interface BundleReaderOptions {
  readonly artifacts: Pick<ArtifactStorage, "open">
  readonly hashTile: HashTile
}

/** The root of a full tile, by RFC 9162 §2.1. */
export type HashTile = (hashes: Uint8Array) => Uint8Array

/** At least as many, and at most twice: some 4 MB each. */
const KEPT_BUNDLES = 4

export function createBundleReader({ artifacts, hashTile }: BundleReaderOptions): BundleReader {
  const kept = createBoundedCache<Promise<readonly KeptRun[]>>(KEPT_BUNDLES)

  async function load(bundle: ArchivedBundle): Promise<readonly KeptRun[]> {
    try {
      return await readKeptRuns(await readRange(artifacts, toRunsRange(bundle)), bundle)
    } catch (error) {
      throw toReadFailure(error, toName(bundle))
    }
  }

  function find(bundle: ArchivedBundle): Promise<readonly KeptRun[]> {
    const known = kept.get(bundle.locator)
    if (known !== undefined) return known
    const loading = load(bundle)
    kept.set(bundle.locator, loading)
    loading.catch(() => kept.delete(bundle.locator))
    return loading
  }

  return {
    async readTile({ bundle, index, root }) {
      try {
        const hashes = await readRange(artifacts, toTileRange(bundle, index))
        if (Buffer.compare(hashTile(hashes), root) === 0) return hashes
        throw new RangeError(`tile ${index} is not the one that the tree has`)
      } catch (error) {
        throw toReadFailure(error, toName(bundle))
      }
    },
    async readRuns({ at, bundle, from, to }) {
      const runs = await find(bundle)
      return runs
        .filter(({ count, position }) => position < to && position + count > from)
        .filter(({ firstAt, lastAt }) => at === undefined || (firstAt <= at && at <= lastAt))
        .map(({ line }) => parseRun(line))
    },
  }
}

function toName({ id }: ArchivedBundle): string {
  return `bundle ${id} of the tree`
}
