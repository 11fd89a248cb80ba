/**
 * Appending. Where the version check fails, the log itself tells a conflict from an append that is
 * stored already: hashes are chained, so the newest one speaks for all of them.
 */
import { SafelightError, type Append, type Storage } from "@safelight/core"
import type { StoreStatements } from "@safelight/store"
import { createAppendEncoder } from "./append-change.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export function createAppend(
  writer: Writer,
  reader: Reader,
  statements: StoreStatements,
): Storage["append"] {
  const encodeAppend = createAppendEncoder(statements, writer.toNumber)
  return async (append) => {
    const isStored = await writer.write(encodeAppend(append))
    if (isStored === true || isStoredAlready(reader, statements, append)) return
    throw conflict(append)
  }
}

function isStoredAlready(reader: Reader, { append }: StoreStatements, { events }: Append): boolean {
  const newest = events.at(-1)
  if (newest === undefined) return false
  const { task, version, hash } = newest
  const [stored] = reader.all<{ readonly hash: string }>(append.findEventHash, { task, version })
  return stored?.hash === hash
}

function conflict({ task, expectedVersion }: Append): SafelightError {
  const message = `task ${task} is not at version ${expectedVersion}`
  return new SafelightError({ code: "version-conflict", message })
}
