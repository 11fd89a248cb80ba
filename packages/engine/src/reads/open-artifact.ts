/**
 * Opens an artifact's bytes. A reader of the whole artifact never gets all of its bytes if they are damaged: they are
 * hashed as they are read, and the read of the last piece rejects if the hash is not the one in the log. A range
 * can't be verified, since the log has one hash for the whole. Bytes that were verified lately and not written
 * since are not hashed again (`verified-reads.ts`).
 */
import { createHash } from "node:crypto"
import {
  SafelightError,
  type ArtifactReader,
  type Artifact,
  type OpenArtifactRequest,
} from "@safelight/core"
import type { Ports } from "../host/ports.ts"

type Opening = Pick<Ports, "artifacts" | "log" | "verifiedReads">

/** A reader costs as much memory anyway, and a server can still answer with an error before the first byte. */
const READ_AHEAD_BYTES = 64 * 1024

/**
 * Rejects as `ArtifactStorage.open` does, and with `artifacts-unavailable` if a small artifact, asked for whole, is
 * not what the log says; the reader of a larger one rejects so before its last piece.
 */
export async function openArtifact(
  ports: Opening,
  { artifact, ...range }: OpenArtifactRequest,
): Promise<ArtifactReader> {
  const { verifiedReads } = ports
  const { locator } = artifact
  const reader = await ports.artifacts.open({ locator, ...range })
  const { start = 0, end = Infinity } = range
  const isWhole = start === 0 && end >= artifact.bytes - 1
  const { version } = reader
  const isKnown = version !== undefined && verifiedReads?.has(locator, version) === true
  if (verifiedReads === undefined || !isWhole || isKnown) return reader
  const verified = toVerified(reader, artifact, ports.log, () => {
    if (version !== undefined) verifiedReads.note(locator, version)
  })
  return artifact.bytes > READ_AHEAD_BYTES ? verified : readAhead(verified, artifact.bytes)
}

function toVerified(
  reader: ArtifactReader,
  { task, key, bytes, sha256 }: Artifact,
  log: Ports["log"],
  onRight: () => void,
): ArtifactReader {
  const { totalBytes } = reader
  const hash = createHash("sha256")
  let readBytes = 0
  let isJudged = false

  function judge(): void {
    isJudged = true
    const isSize = readBytes === bytes && totalBytes === bytes
    if (isSize && hash.digest("hex") === sha256) return onRight()
    log.error({ task, artifact: key }, "artifact differs")
    const message = `the bytes of ${key} are not what the log says: compare all with "audit artifacts"`
    throw new SafelightError({ code: "artifacts-unavailable", message })
  }

  return {
    totalBytes,
    async read(into) {
      const count = await reader.read(into)
      if (isJudged) return count
      readBytes += count
      hash.update(into.subarray(0, count))
      if (count === 0 || readBytes >= bytes) judge()
      return count
    },
    close: () => reader.close(),
  }
}

/** Reads everything, closes `reader` in any case, and rejects as its reads do. */
async function readAhead(reader: ArtifactReader, bytes: number): Promise<ArtifactReader> {
  const { totalBytes } = reader
  // An empty artifact is read too, since the read verifies it.
  const held = new Uint8Array(Math.max(bytes, 1))
  let heldBytes = 0
  try {
    let count: number
    do {
      // oxlint-disable-next-line no-await-in-loop -- the bytes come in order
      count = await reader.read(held.subarray(heldBytes))
      heldBytes += count
    } while (count > 0 && heldBytes < bytes)
  } finally {
    await reader.close()
  }
  let givenBytes = 0
  return {
    totalBytes,
    async read(into) {
      const piece = held.subarray(givenBytes, Math.min(heldBytes, givenBytes + into.length))
      into.set(piece)
      givenBytes += piece.length
      return piece.length
    },
    async close() {},
  }
}
