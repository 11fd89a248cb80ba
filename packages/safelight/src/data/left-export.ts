/**
 * What an earlier `audit export` to the same file has left: `FILE.partial`, which was cut off anywhere. It is set aside
 * as `FILE.left` while the next one is written, so that this one may be cut off too.
 */
import { rename, rm, stat } from "node:fs/promises"
import type { ExportRecord } from "@safelight/audit"
import { isSafelightError } from "@safelight/core"
import { openLogFile } from "./log-file.ts"
import { toPartial, unwritable } from "./whole-file.ts"

export interface LeftExport {
  readonly path: string
  /** Its whole records, from the first on; read once. */
  readonly records: AsyncGenerator<ExportRecord>
  /** Once nothing of it is needed any more. */
  readonly remove: () => Promise<void>
}

/** Undefined if nothing was left. Rejects with a `CommandError` if it can't be set aside or read. */
export async function takeLeftExport(file: string): Promise<LeftExport | undefined> {
  const [partial, path] = [toPartial(file), `${file}.left`]
  const [ofPartial, ofLeft] = await Promise.all([measure(partial), measure(path)])
  if (ofPartial === undefined && ofLeft === undefined) return undefined
  // Of two, an earlier attempt to go on got less far.
  if ((ofPartial ?? -1) > (ofLeft ?? -1)) await setAside(partial, path)
  return { path, records: readRecords(path), remove: () => rm(path, { force: true }) }
}

async function measure(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  )
}

async function setAside(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    throw unwritable(to, error)
  })
}

async function* readRecords(path: string): AsyncGenerator<ExportRecord> {
  const { readExport } = await import("@safelight/audit")
  try {
    for await (const { record } of readExport(untilCut(path))) yield record
  } catch (error) {
    // It ends in the middle of a line, or without its trailer.
    if (!isSafelightError(error) || error.code !== "export-refused") throw error
  }
}

async function* untilCut(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* openLogFile(path)
  } catch (error) {
    // Of a compressed file that was cut off the last block can't be read.
    const { code = "" } = error as NodeJS.ErrnoException
    if (!code.startsWith("ZSTD_") && code !== "Z_BUF_ERROR") throw error
  }
}
