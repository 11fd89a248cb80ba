/**
 * Stores a body under a locator. The object appears with the last request, whole, and only once its
 * length and hash were accepted; the call resolves when the bucket says that it holds it, as long as
 * it was.
 */
import { createHash } from "node:crypto"
import { untilAborted, type AbortSignalLike } from "@safelight/core"
import { createTidySignal, type Bucket } from "./bucket.ts"
import { toPieces } from "./pieces.ts"
import { createStop, type Stop } from "./stop.ts"
import { createAborted, createUnavailable } from "./storage-failure.ts"
import { deleteObject, isStored } from "./stored-object.ts"
import { uploadBody } from "./upload-body.ts"

export interface StoreHost {
  readonly bucket: Bucket
  readonly partBytes: number
}

export interface BodyAtLocator {
  readonly locator: string
  readonly body: AsyncIterable<Uint8Array>
  readonly signal?: AbortSignalLike
  /**
   * Nobody else's: what a failure may have left there is removed. Where somebody else may have
   * stored the same, it is left, since it is whole.
   */
  readonly isNew: boolean
}

export interface StoredBody {
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** Ends an upload whose body is not what it should be. */
const REFUSED = Symbol("refused")

/** Undefined, with nothing stored, where `accepts` refuses what the body turned out to be. */
export async function storeBody(
  { bucket, partBytes }: StoreHost,
  request: BodyAtLocator,
  accepts: (body: StoredBody) => boolean,
): Promise<StoredBody | undefined> {
  const { locator, signal } = request
  if (signal?.aborted === true) throw createAborted()
  const stop = createStop(signal)
  let body: StoredBody | undefined
  let isToDiscard = false

  async function* measure(): AsyncGenerator<Uint8Array> {
    try {
      body = yield* hashPieces(request.body, stop)
    } catch (error) {
      stop.because(error)
      throw error
    }
    if (!accepts(body)) stop.because(REFUSED)
    stop.signal.throwIfAborted()
    isToDiscard = request.isNew
  }

  try {
    await uploadBody(bucket, { key: locator, chunks: measure(), partBytes, stop })
    if (body === undefined) throw new TypeError("an upload ends after its body")
    const { bytes } = body
    if (!(await isStored(bucket, locator, { bytes, signal: stop.signal }))) {
      isToDiscard = true
      throw createUnavailable(`it does not hold the ${bytes} bytes that it took`)
    }
    stop.signal.throwIfAborted()
    return body
  } catch (error) {
    stop.because(error)
    if (isToDiscard) {
      // As far as the bucket lets us: the failure that led here is the one to report.
      await deleteObject(bucket, locator, createTidySignal()).catch(ignoreSecondFailure)
    }
    if (stop.signal.reason === REFUSED) return undefined
    throw stop.signal.reason
  } finally {
    stop.release()
  }
}

async function* hashPieces(
  body: AsyncIterable<Uint8Array>,
  { signal }: Stop,
): AsyncGenerator<Uint8Array, StoredBody> {
  const sha256 = createHash("sha256")
  let bytes = 0
  for await (const piece of toPieces(untilAborted(body, signal, () => signal.reason))) {
    bytes += piece.byteLength
    sha256.update(piece)
    yield piece
  }
  return { bytes, sha256: sha256.digest("hex") }
}

function ignoreSecondFailure(_error: unknown): void {}
