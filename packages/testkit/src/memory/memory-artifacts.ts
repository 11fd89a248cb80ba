/**
 * Artifacts kept in memory, for benchmarks that measure everything but the disk and for engine
 * tests that look at what was stored. It is also the shortest driver there is.
 */
import {
  createArtifactStorage,
  createMissing,
  createUnavailable,
  type ArtifactDriver,
  type ObjectReader,
} from "@safelight/artifacts"
import type { ArtifactStorage } from "@safelight/core"

export interface MemoryArtifacts extends Required<ArtifactStorage> {
  readonly locators: ReadonlyMap<string, Uint8Array>
  /** Makes the next `times` puts fail as a full disk would. */
  failPuts(times: number): void
}

export interface MemoryArtifactsOptions {
  /** Keeps only the newest locators, so that a long benchmark measures the engine's memory alone. */
  readonly keep?: number
}

const NAME = "The memory"

export function createMemoryArtifacts({
  keep = Infinity,
}: MemoryArtifactsOptions = {}): MemoryArtifacts {
  const locators = new Map<string, Uint8Array>()
  const marks = new Map<string, Uint8Array>()
  let failures = 0

  function commit(key: string, bytes: Uint8Array): void {
    if (failures > 0) {
      failures -= 1
      throw unavailable()
    }
    locators.set(key, bytes)
    if (locators.size > keep) locators.delete(locators.keys().next().value ?? "")
  }

  const driver: ArtifactDriver = {
    name: NAME,
    pieceBytes: 64 * 1024,
    async begin(key) {
      const pieces: Uint8Array[] = []
      return {
        async write(piece) {
          pieces.push(piece.slice())
        },
        commit: async (last) => commit(key, Buffer.concat([...pieces, last])),
        async abandon() {},
      }
    },
    async open({ key, start }) {
      const bytes = locators.get(key) ?? marks.get(key)
      if (bytes === undefined) throw createMissing()
      return createReader(bytes, start)
    },
    async remove(key) {
      locators.delete(key)
    },
    async *list(prefix) {
      yield* [...locators.keys()].filter((key) => key.startsWith(prefix)).toSorted()
    },
    async storeIfAbsent(key, bytes) {
      if (!marks.has(key)) marks.set(key, bytes)
    },
    async check() {
      if (failures > 0) throw unavailable()
    },
  }

  return {
    ...createArtifactStorage(driver),
    locators,
    failPuts(times) {
      failures = times
    },
  }
}

function createReader(bytes: Uint8Array, start: number): ObjectReader {
  let position = start
  return {
    totalBytes: bytes.length,
    async read(into) {
      const piece = bytes.subarray(position, position + into.length)
      into.set(piece)
      position += piece.length
      return piece.length
    },
    async close() {},
  }
}

function unavailable(): Error {
  return createUnavailable(NAME, "it is full")
}
