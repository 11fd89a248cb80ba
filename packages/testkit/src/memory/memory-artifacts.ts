/**
 * Artifacts kept in memory, for benchmarks that measure everything but the disk and for engine
 * tests that look at what was stored. Bytes are copied: a caller may reuse its buffers.
 */
import { hash } from "node:crypto"
import { SafelightError, type ArtifactReader, type ArtifactStorage } from "@safelight/core"

export interface MemoryArtifacts extends ArtifactStorage {
  readonly locators: ReadonlyMap<string, Uint8Array>
  /** Makes the next `times` puts fail as a full disk would. */
  failPuts(times: number): void
}

export interface MemoryArtifactsOptions {
  /** Keeps only the newest locators, so that a long benchmark measures the engine's memory alone. */
  readonly keep?: number
}

export function createMemoryArtifacts({
  keep = Infinity,
}: MemoryArtifactsOptions = {}): MemoryArtifacts {
  const locators = new Map<string, Uint8Array>()
  let count = 0
  let failures = 0
  let mark: string | undefined
  return {
    locators,
    failPuts(times) {
      failures = times
    },
    async put({ task, key, body }) {
      const chunks: Uint8Array[] = []
      for await (const chunk of body) {
        chunks.push(Uint8Array.from(chunk))
      }
      if (failures > 0) {
        failures -= 1
        throw unavailable()
      }
      const bytes = Buffer.concat(chunks)
      count += 1
      const locator = `${task}/${key}/${count}`
      locators.set(locator, bytes)
      if (locators.size > keep) locators.delete(locators.keys().next().value ?? "")
      return { locator, bytes: bytes.length, sha256: hash("sha256", bytes) }
    },
    async open({ locator, start = 0, end }) {
      const bytes = locators.get(locator)
      if (bytes === undefined) {
        throw new SafelightError({ code: "artifact-missing", message: "nothing at that locator" })
      }
      return createReader(bytes, start, Math.min(bytes.length, (end ?? bytes.length) + 1))
    },
    async remove(locator) {
      locators.delete(locator)
    },
    list: async (task) => [...locators.keys()].filter((locator) => locator.startsWith(`${task}/`)),
    mark: async (proposed) => (mark ??= proposed),
    async check() {
      if (failures > 0) throw unavailable()
    },
  }
}

function createReader(bytes: Uint8Array, start: number, stop: number): ArtifactReader {
  let position = start
  return {
    totalBytes: bytes.length,
    async read(into) {
      const chunk = bytes.subarray(position, Math.min(stop, position + into.length))
      into.set(chunk)
      position += chunk.length
      return chunk.length
    },
    async close() {},
  }
}

function unavailable(): SafelightError {
  const message = "the artifacts can't be written now"
  return new SafelightError({ code: "artifacts-unavailable", message, retryable: true })
}
