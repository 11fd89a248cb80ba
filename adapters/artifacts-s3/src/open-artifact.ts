/**
 * Opens an artifact for reading. The first request is the download itself. If its connection breaks, the rest is
 * requested on a new one, on the condition that the object still has its ETag, so that a long download survives
 * a short outage. A read never gives fewer bytes than the first answer promised: it resumes or rejects.
 */
import {
  isArtifactLocator,
  isSafelightError,
  type ArtifactOpen,
  type ArtifactReader,
} from "@safelight/core"
import type { AnswerBody } from "./answer-body.ts"
import type { Bucket } from "./bucket.ts"
import { openRange, type OpenRange } from "./object-range.ts"
import { createMissing, createUnavailable } from "./storage-failure.ts"

/** Resumes in a row that bring no byte; each is a request with tries of its own. */
const MOST_RESUMES = 3

export async function openArtifact(bucket: Bucket, request: ArtifactOpen): Promise<ArtifactReader> {
  const { locator, start = 0, end } = request
  assertRange(start, end)
  if (!isArtifactLocator(locator)) throw createMissing()
  const controller = new AbortController()
  const { signal } = controller
  const range = { key: locator, start, signal, ...(end === undefined ? {} : { end }) }
  const opened = await openRange(bucket, range)
  return createReader({ bucket, range, opened, callOff: () => controller.abort() })
}

function assertRange(start: number, end = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start) return
  throw new RangeError(`bytes ${start} to ${end} are no range`)
}

interface Reading {
  readonly bucket: Bucket
  readonly range: Parameters<typeof openRange>[1]
  readonly opened: OpenRange
  /** Ends a request in progress, and the wait before one. */
  readonly callOff: () => void
}

function createReader({ bucket, range, opened, callOff }: Reading): ArtifactReader {
  const { totalBytes, etag } = opened
  const endOffset = Math.min((range.end ?? Infinity) + 1, totalBytes)
  let offset = range.start
  let body = opened.body
  let isClosed = false

  async function resume(): Promise<AnswerBody> {
    if (etag === undefined) throw createUnavailable("it can't tell whether an artifact changed")
    const rest = await openRange(bucket, { ...range, start: offset, etag }).catch(toReadFailure)
    if (rest.body !== undefined && rest.etag === etag && rest.totalBytes === totalBytes) {
      return rest.body
    }
    await rest.body?.close()
    throw createUnavailable("the artifact was changed while it was read")
  }

  /** Sets `body` to the rest, on a new connection. */
  async function reconnect(resumes: number): Promise<void> {
    if (isClosed) throw createUnavailable("the reader is closed")
    if (resumes === MOST_RESUMES) throw createUnavailable("its answers break off")
    if (resumes > 0) await bucket.pause(resumes, range.signal)
    body = await resume()
    if (isClosed) await body.close()
  }

  /** Undefined if the connection broke: then there is no body any more. */
  async function readOn(into: Uint8Array): Promise<number | undefined> {
    try {
      const count = await body?.read(into)
      if (count !== undefined && count > 0) return count
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
    await body?.close()
    body = undefined
    return undefined
  }

  return {
    totalBytes,
    async read(into) {
      const wanted = into.subarray(0, Math.max(0, Math.min(into.byteLength, endOffset - offset)))
      if (wanted.byteLength === 0) return 0
      for (let resumes = 0; ; resumes += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one try after the other
        const count = await readOn(wanted)
        if (count !== undefined) {
          offset += count
          return count
        }
        // oxlint-disable-next-line no-await-in-loop
        await reconnect(resumes)
      }
    },
    async close() {
      isClosed = true
      if (body === undefined) callOff()
      await body?.close()
    },
  }
}

/** An artifact that is removed while it is read is not reported as missing: the read fails as cut off. */
function toReadFailure(error: unknown): never {
  if (!isSafelightError(error)) throw error
  if (error.code === "artifact-missing") {
    throw createUnavailable("the artifact was removed while it was read")
  }
  throw error.code === "aborted" ? createUnavailable("the reader is closed") : error
}

function isUnavailable(error: unknown): boolean {
  return isSafelightError(error) && error.code === "artifacts-unavailable"
}
