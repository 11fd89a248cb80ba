/**
 * Opens an artifact for reading. The first request is the download itself. If it breaks off, the rest is
 * requested on the condition that the object still has its tag, so that a long download survives a short outage.
 * A read never gives fewer bytes than the first answer promised: it resumes or rejects.
 */
import {
  isArtifactLocator,
  isSafelightError,
  type ArtifactOpen,
  type ArtifactReader,
} from "@safelight/core"
import type { ArtifactDriver, ObjectRange, ObjectReader } from "./driver.ts"
import { createMissing, createUnavailable, translateFailure } from "./failures.ts"

/** Resumes in a row that bring no byte; each is a request with tries of its own. */
const MOST_RESUMES = 3

export async function openArtifact(
  driver: ArtifactDriver,
  request: ArtifactOpen,
): Promise<ArtifactReader> {
  const { locator, start = 0, end } = request
  assertRange(start, end)
  if (!isArtifactLocator(locator)) throw createMissing()
  const controller = new AbortController()
  const { signal } = controller
  const range = { key: locator, start, signal, ...(end === undefined ? {} : { end }) }
  const opened = await openRange(driver, range)
  return createReader({ driver, range, opened, callOff: () => controller.abort() })
}

function assertRange(start: number, end = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start) return
  throw new RangeError(`bytes ${start} to ${end} are no range`)
}

/** A reader of no bytes if the object ends before the range. */
async function openRange(driver: ArtifactDriver, range: ObjectRange): Promise<ObjectReader> {
  return translateFailure(driver, async () => {
    const opened = await driver.open(range)
    if (opened !== "past-end") return opened
    const totalBytes = await driver.measure?.(range.key, range.signal)
    if (totalBytes !== undefined && totalBytes <= range.start) {
      return { totalBytes, read: async () => 0, close: async () => {} }
    }
    throw createUnavailable(driver.name, "it refused a range that it has")
  })
}

interface Reading {
  readonly driver: ArtifactDriver
  readonly range: ObjectRange
  readonly opened: ObjectReader
  /** Ends a request in progress, and the wait before one. */
  readonly callOff: () => void
}

function createReader(reading: Reading): ArtifactReader {
  const { opened, range } = reading
  const { totalBytes, version } = opened
  const endOffset = Math.min((range.end ?? Infinity) + 1, totalBytes)
  const bytes = createResumedBytes(reading)
  let offset = range.start
  return {
    totalBytes,
    ...(version === undefined ? {} : { version }),
    async read(into) {
      const wanted = into.subarray(0, Math.max(0, Math.min(into.byteLength, endOffset - offset)))
      if (wanted.byteLength === 0) return 0
      const count = await bytes.read(wanted, offset)
      offset += count
      return count
    },
    close: () => bytes.close(),
  }
}

interface ResumedBytes {
  /** Resolves to the number of bytes read, at least one. `offset` is where the last read ended. */
  read(into: Uint8Array, offset: number): Promise<number>
  close(): Promise<void>
}

function createResumedBytes({ driver, range, opened, callOff }: Reading): ResumedBytes {
  let reader: ObjectReader | undefined = opened
  let isClosed = false

  /** Undefined if the bytes broke off and may be resumed: then there is no reader any more. */
  async function readOn(into: Uint8Array): Promise<number | undefined> {
    const current = reader
    if (current === undefined) return undefined
    try {
      const count = await translateFailure(driver, () => current.read(into))
      if (count > 0) return count
    } catch (error) {
      const isPassing = isSafelightError(error) && error.code === "artifacts-unavailable"
      if (opened.tag === undefined || !isPassing) throw error
    }
    await current.close()
    reader = undefined
    return undefined
  }

  return {
    async read(into, offset) {
      for (let resumes = 0; ; resumes += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one try after the other
        const count = await readOn(into)
        if (count !== undefined) return count
        if (isClosed) throw createUnavailable(driver.name, CLOSED)
        if (resumes === MOST_RESUMES) throw createUnavailable(driver.name, "its answers break off")
        // oxlint-disable-next-line no-await-in-loop
        if (resumes > 0) await driver.pause?.(resumes, range.signal)
        // oxlint-disable-next-line no-await-in-loop
        reader = await openRest(driver, { ...range, start: offset }, opened)
        // oxlint-disable-next-line no-await-in-loop
        if (isClosed) await reader.close()
      }
    },
    async close() {
      isClosed = true
      const current = reader
      if (current === undefined) callOff()
      else await translateFailure(driver, () => current.close())
    },
  }
}

const CLOSED = "the reader is closed"

/** Opens the rest of what broke off. An artifact that is gone by then is not missing: the read fails as cut off. */
async function openRest(
  driver: ArtifactDriver,
  range: ObjectRange,
  { tag, totalBytes }: ObjectReader,
): Promise<ObjectReader> {
  const unavailable = (reason: string): Error => createUnavailable(driver.name, reason)
  if (tag === undefined) throw unavailable("an artifact ended before its last byte")
  try {
    const rest = await openRange(driver, { ...range, tag })
    if (rest.tag === tag && rest.totalBytes === totalBytes) return rest
    await rest.close()
  } catch (error) {
    const code = isSafelightError(error) ? error.code : undefined
    if (code === "artifact-missing") throw unavailable("the artifact was removed while it was read")
    throw code === "aborted" ? unavailable(CLOSED) : error
  }
  throw unavailable("the artifact was changed while it was read")
}
