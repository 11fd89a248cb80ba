/**
 * Downloads an artifact. A transfer that breaks off is resumed at the same byte (Range with If-Range). At
 * the end the SHA-256 of all bytes must equal the digest of the first answer; until then the bytes are not
 * known to be right.
 */
import { clientError, isApiError, type ApiError } from "../connection/api-error.ts"
import type { Connection } from "../connection/connection.ts"
import { toRetryPauseMs } from "../connection/pauses.ts"
import type { ApiAnswer } from "../connection/send-request.ts"
import { readArtifactHeaders, type ArtifactHeaders } from "./artifact-headers.ts"
import { createSha256 } from "./sha256.ts"

export interface DownloadProgress {
  readonly receivedBytes: number
  /** Undefined if a proxy removed the length. */
  readonly totalBytes: number | undefined
}

export interface DownloadOptions {
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Download {
  readonly mimeType: string
  /** To be read once. */
  readonly pieces: AsyncGenerator<Uint8Array, void, undefined>
  /** Closes the connection, whether or not `pieces` was read. */
  readonly cancel: () => Promise<void>
}

/** After a connection that brought at least this much, tries are counted from one again. */
const WORTHWHILE_BYTES = 2 ** 20

/** What every answer of one download must agree on. */
interface Whole {
  readonly etag: string | undefined
  readonly digest: string
  readonly totalBytes: number | undefined
}

/**
 * Resolves when the first answer has begun. Rejects as the service refuses: `artifact_expired`,
 * `artifact_not_found`, `task_not_finished`.
 */
export async function startDownload(
  connection: Connection,
  path: string,
  { onProgress, signal: called }: DownloadOptions,
): Promise<Download> {
  const over = new AbortController()
  const stop = (): void => over.abort(called?.reason)
  if (called?.aborted === true) stop()
  called?.addEventListener("abort", stop, { once: true, signal: over.signal })
  const { signal } = over
  const first = await connection.retry(() => openWhole(connection, path, signal), { signal })
  const { artifactBytes } = connection.settings
  const resumed = resume(connection, path, first, signal)
  const checked = check(resumed, first.whole, artifactBytes, onProgress)
  async function* readOnce(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* checked
    } finally {
      // Removes the listener from the caller's signal, which may live for long.
      over.abort()
    }
  }
  const pieces = readOnce()
  return {
    mimeType: readArtifactHeaders(first.answer.headers).mimeType,
    pieces,
    async cancel() {
      // `return` alone would wait for the piece that is being read.
      over.abort()
      await pieces.return()
    },
  }
}

interface Opened {
  readonly answer: ApiAnswer
  readonly whole: Whole
}

/** Lengths and ranges of a compressed transfer would be those of other bytes. */
const HEADERS = { "accept-encoding": "identity" }

async function openWhole(
  connection: Connection,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Opened> {
  const answer = await connection.open({ method: "GET", path, headers: HEADERS, signal })
  const { digest, etag, bodyBytes: totalBytes } = readArtifactHeaders(answer.headers)
  if (answer.status !== 200) throw refuse(answer, `the artifact was answered ${answer.status}`)
  if (digest === undefined) {
    answer.cancel()
    throw clientError("digest_mismatch", "the artifact came without a SHA-256 digest")
  }
  const most = connection.settings.artifactBytes
  if (totalBytes !== undefined && totalBytes > most) {
    answer.cancel()
    throw tooLong(most)
  }
  return { answer, whole: { digest, etag, totalBytes } }
}

/** Asks for the bytes from `start` on. Rejects with `invalid_answer` if the artifact is not the same. */
async function openRest(
  connection: Connection,
  path: string,
  start: number,
  { digest, etag = "", totalBytes }: Whole,
  signal: AbortSignal | undefined,
): Promise<ApiAnswer> {
  const headers = { ...HEADERS, range: `bytes=${start}-`, "if-range": etag }
  const answer = await connection.open({ method: "GET", path, headers, signal })
  const found = readArtifactHeaders(answer.headers)
  const isSame = found.etag === etag && (found.digest === undefined || found.digest === digest)
  if (!isSame) throw refuse(answer, "the artifact is another one than it was")
  const isRest = answer.status === 206 && fits(found, start, totalBytes)
  // A proxy that ignores ranges sends everything again: `toFresh` skips what is known.
  if (!isRest && answer.status !== 200) throw refuse(answer, "the range is not the one asked for")
  return answer
}

function fits({ range }: ArtifactHeaders, start: number, totalBytes: number | undefined): boolean {
  if (range === undefined) return false
  const isWhole = totalBytes === undefined || totalBytes === range.totalBytes
  return isWhole && range.start === start && range.end === range.totalBytes - 1
}

/** The bytes, from as many connections as it takes. Rejects as the last of them does. */
async function* resume(
  connection: Connection,
  path: string,
  { answer: first, whole }: Opened,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { clock, random, settings } = connection
  let answer = first
  let received = 0
  let cuts = 0
  for (;;) {
    const before = received
    try {
      for await (const piece of toFresh(answer, before)) {
        received += piece.byteLength
        yield piece
      }
      if (whole.totalBytes === undefined || received >= whole.totalBytes) return
      throw clientError("incomplete_answer", "the artifact ended early", { isRetryable: true })
    } catch (error) {
      if (!isCut(error)) throw error
      // Everything had arrived before the connection failed.
      if (received === whole.totalBytes) return
      cuts = received - before >= WORTHWHILE_BYTES ? 1 : cuts + 1
      if (whole.etag === undefined || cuts >= settings.tries) throw error
    }
    await clock.wait(toRetryPauseMs(cuts, undefined, settings, random), signal)
    const openNext = (): Promise<ApiAnswer> => openRest(connection, path, received, whole, signal)
    answer = await connection.retry(openNext, { signal })
  }
}

function isCut(error: unknown): boolean {
  return isApiError(error) && error.code === "incomplete_answer"
}

/** Passes the bytes on and rejects if they are too many, or at the end if the digest differs. */
async function* check(
  pieces: AsyncIterable<Uint8Array>,
  { digest, totalBytes }: Whole,
  mostBytes: number,
  onProgress: DownloadOptions["onProgress"],
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createSha256()
  let receivedBytes = 0
  for await (const piece of pieces) {
    receivedBytes += piece.byteLength
    if (receivedBytes > (totalBytes ?? mostBytes)) throw tooLong(totalBytes ?? mostBytes)
    hash.update(piece)
    onProgress?.({ receivedBytes, totalBytes })
    yield piece
  }
  if (btoa(String.fromCharCode(...hash.digest())) === digest) return
  throw clientError("digest_mismatch", "the artifact's bytes are not those its digest names")
}

/** The bytes after the first `received`: a 206 has only those, a 200 has all. */
async function* toFresh(
  answer: ApiAnswer,
  received: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let known = answer.status === 206 ? 0 : received
  for await (const piece of answer.pieces()) {
    const skipped = Math.min(known, piece.byteLength)
    known -= skipped
    if (skipped < piece.byteLength) yield piece.subarray(skipped)
  }
}

function refuse(answer: ApiAnswer, message: string): ApiError {
  answer.cancel()
  const { headers, status } = answer
  const requestId = headers.get("x-request-id") ?? undefined
  return clientError("invalid_answer", message, { status, requestId })
}

function tooLong(bytes: number): ApiError {
  return clientError("invalid_answer", `the artifact has more than ${bytes} bytes`)
}
