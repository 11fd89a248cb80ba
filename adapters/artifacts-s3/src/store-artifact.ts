/**
 * Stores an artifact: under a new locator, or under one that another storage gave out, if a moved log names it.
 * The object appears with the last request, whole, and only once its length and hash were accepted. The call
 * resolves when the bucket says that it holds an object of that length.
 */
import { createHash } from "node:crypto"
import {
  isArtifactLocator,
  toPieces,
  untilAborted,
  type AbortSignalLike,
  type ArtifactPut,
  type ArtifactRestore,
  type RestoreOutcome,
  type StoredArtifact,
} from "@safelight/core"
import { createTidySignal, type Bucket } from "./bucket.ts"
import { createLocator } from "./locator.ts"
import { createAborted, createUnavailable } from "./storage-failure.ts"
import { deleteObject, isStored } from "./stored-object.ts"
import { uploadBody } from "./upload-body.ts"

export interface StoreHost {
  readonly bucket: Bucket
  readonly partBytes: number
}

type Measured = Pick<StoredArtifact, "bytes" | "sha256">

/** The size of a file stream's chunk. */
const PIECE_BYTES = 64 * 1024

/** Ends a restore whose body has another length or hash than expected. */
const DIFFERS = new Error("the body differs")

export async function putArtifact(host: StoreHost, request: ArtifactPut): Promise<StoredArtifact> {
  const { body, signal } = request
  const locator = createLocator(request)
  const measured = await storeBody(host, { locator, body, ...(signal && { signal }) })
  return { locator, ...measured }
}

/**
 * After a failure a whole object at the locator stays: an earlier call may have stored it, or one that runs at the
 * same time.
 */
export async function restoreArtifact(
  host: StoreHost,
  request: ArtifactRestore,
): Promise<RestoreOutcome> {
  if (!isArtifactLocator(request.locator)) return "foreign-locator"
  try {
    await storeBody(host, { ...request, expected: request })
    return "stored"
  } catch (error) {
    if (error === DIFFERS) return "differs"
    throw error
  }
}

interface BodyAtLocator {
  readonly locator: string
  readonly body: AsyncIterable<Uint8Array>
  readonly signal?: AbortSignalLike
  /** Set for a restore. Without it the locator is new, so whatever a failure leaves there is removed. */
  readonly expected?: Measured
}

/**
 * Rejects with the first failure of the body, of a request or of the caller, and with `DIFFERS` if the body
 * is not what was expected.
 */
async function storeBody(
  { bucket, partBytes }: StoreHost,
  { body, expected, locator, signal: caller }: BodyAtLocator,
): Promise<Measured> {
  if (caller?.aborted === true) throw createAborted()
  // Only the first reason counts: it is the error of the call.
  const stop = new AbortController()
  const callOff = (): void => stop.abort(createAborted())
  caller?.addEventListener("abort", callOff, { once: true })
  let measured: Measured | undefined
  let isToDiscard = false

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      measured = yield* measure(untilAborted(body, stop.signal, () => stop.signal.reason))
      if (expected !== undefined && !isSame(measured, expected)) throw DIFFERS
    } catch (error) {
      stop.abort(error)
    }
    stop.signal.throwIfAborted()
    isToDiscard = expected === undefined
  }

  try {
    await uploadBody(bucket, { key: locator, chunks: read(), partBytes, stop })
    if (measured === undefined) throw new TypeError("an upload ends after its body")
    const { bytes } = measured
    if (!(await isStored(bucket, locator, { bytes, signal: stop.signal }))) {
      isToDiscard = true
      throw createUnavailable(`it does not hold the ${bytes} bytes that it took`)
    }
    stop.signal.throwIfAborted()
    return measured
  } catch (error) {
    stop.abort(error)
    if (isToDiscard) {
      // Best effort: the failure that led here is the one to report.
      await deleteObject(bucket, locator, createTidySignal()).catch(ignoreSecondFailure)
    }
    throw stop.signal.reason
  } finally {
    caller?.removeEventListener("abort", callOff)
  }
}

async function* measure(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, Measured> {
  const sha256 = createHash("sha256")
  let bytes = 0
  for await (const piece of toPieces(body, allocate)) {
    bytes += piece.byteLength
    sha256.update(piece)
    yield piece
  }
  return { bytes, sha256: sha256.digest("hex") }
}

/** Fresh memory, since the client's `Upload` keeps the pieces of a part. */
function allocate(): Uint8Array {
  return Buffer.allocUnsafeSlow(PIECE_BYTES)
}

function isSame(one: Measured, other: Measured): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256
}

function ignoreSecondFailure(_error: unknown): void {}
