/**
 * Stores a body under a locator: by one request where it fits into a part, by parts otherwise. Two
 * parts are in memory at most, one being filled while the other is sent. The object appears with the
 * last request, whole, and only once its length and hash were accepted; the call resolves when the
 * bucket says that it holds it, as long as it was.
 */
import type { Hash } from "node:crypto"
import { untilAborted, type AbortSignalLike } from "@safelight/core"
import { throwIfAborted, type Bucket, type Payload } from "./bucket.ts"
import { createMultipartUpload, type MultipartUpload } from "./multipart-upload.ts"
import { createPartBuffer, type PartBuffer } from "./part-buffer.ts"
import { createStop, type Stop } from "./stop.ts"
import { createUnavailable } from "./storage-failure.ts"
import { deleteObject, isStored, putObject, TIDY_PATIENCE } from "./store-payload.ts"

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

interface Work extends StoreHost {
  readonly locator: string
  readonly stop: Stop
  readonly upload: MultipartUpload
}

interface GatheredBody extends StoredBody {
  /** What is not sent yet. */
  readonly last: Payload
  /** Whether anything is. */
  readonly isParted: boolean
}

/** Undefined, with nothing stored, where `accepts` refuses what the body came to. */
export async function storeBody(
  host: StoreHost,
  request: BodyAtLocator,
  accepts: (body: StoredBody) => boolean,
): Promise<StoredBody | undefined> {
  throwIfAborted(request.signal)
  const { locator } = request
  const stop = createStop(request.signal)
  const upload = createMultipartUpload(host.bucket, { key: locator, stop })
  const work: Work = { ...host, locator, stop, upload }
  let isToDiscard = false
  try {
    const body = await sendFullParts(work, request.body)
    if (!accepts(body)) {
      await upload.abandon()
      return undefined
    }
    isToDiscard = request.isNew
    await sendLast(work, body)
    if (!(await isStored(host.bucket, { key: locator, signal: stop.signal }, body.bytes))) {
      isToDiscard = true
      throw createUnavailable(`it does not hold the ${body.bytes} bytes that it took`)
    }
    stop.signal.throwIfAborted()
    return { bytes: body.bytes, sha256: body.sha256 }
  } catch (error) {
    stop.because(error)
    await upload.abandon()
    if (isToDiscard) await discard(work)
    throw stop.signal.reason
  } finally {
    stop.release()
  }
}

/**
 * A full part is sent only when more follows: a body of one part needs no upload, and is hashed once
 * for itself and for its request.
 */
async function sendFullParts(
  { partBytes, stop, upload }: Work,
  body: BodyAtLocator["body"],
): Promise<GatheredBody> {
  let filling = createPartBuffer(partBytes)
  let sending: PartBuffer | undefined
  let whole: Hash | undefined
  let bytes = 0
  for await (const chunk of untilAborted(body, stop.signal, () => stop.signal.reason)) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("a body's chunks are Uint8Arrays")
    bytes += chunk.byteLength
    for (let offset = 0; offset < chunk.byteLength;) {
      if (filling.isFull()) {
        whole ??= filling.copyHash()
        // oxlint-disable-next-line no-await-in-loop -- the memory of the part before is needed
        await upload.send(filling.toPayload())
        const free = sending ?? createPartBuffer(partBytes)
        sending = filling
        filling = free
        filling.clear()
      }
      const taken = filling.append(chunk.subarray(offset))
      whole?.update(chunk.subarray(offset, offset + taken))
      offset += taken
    }
  }
  const last = filling.toPayload()
  const isParted = whole !== undefined
  return { bytes, sha256: whole?.digest("hex") ?? last.sha256, last, isParted }
}

async function sendLast(work: Work, { last, isParted }: GatheredBody): Promise<void> {
  const { bucket, locator, stop, upload } = work
  if (isParted) {
    await upload.send(last)
    await upload.complete()
  } else {
    await putObject(bucket, { key: locator, signal: stop.signal }, last)
  }
}

/** As far as the bucket lets us: the failure that led here is the one to report. */
async function discard({ bucket, locator }: Work): Promise<void> {
  await deleteObject(bucket, { key: locator }, TIDY_PATIENCE).catch(ignoreSecondFailure)
}

function ignoreSecondFailure(_error: unknown): void {}
