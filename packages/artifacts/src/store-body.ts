/**
 * Stores an artifact under a new locator, or under one that another storage gave out. The body is measured and
 * hashed on its way, in pieces of one size: one is gathered while the one before it is written. Nothing is at
 * the locator before the whole body was accepted.
 *
 *   begun → pieces written → length and hash compared → committed → measured by the storage
 */
import { createHash, randomUUID } from "node:crypto"
import {
  isArtifactLocator,
  toArtifactLocator,
  untilAborted,
  type AbortSignalLike,
  type ArtifactPut,
  type ArtifactRestore,
  type RestoreOutcome,
  type StoredArtifact,
} from "@safelight/core"
import type { ArtifactDriver, ObjectWriter } from "./driver.ts"
import {
  createAborted,
  createUnavailable,
  ignoreSecondFailure,
  translateFailure,
} from "./failures.ts"
import { toHash } from "./keys.ts"
import { createPieceMemory } from "./piece-memory.ts"

type Measured = Pick<StoredArtifact, "bytes" | "sha256">

/** Both are written, or one is written while the next is gathered. */
const PIECES_AT_ONCE = 2

/** Long enough for some tries, short enough for a caller who waits for the error. A sweep finds the rest. */
export const TIDY_MS = 10_000

/** Ends a restore whose body has another length or hash than expected. */
const DIFFERS = new Error("the body differs")

export async function putArtifact(
  driver: ArtifactDriver,
  { body, key, signal, task }: ArtifactPut,
): Promise<StoredArtifact> {
  const locator = toArtifactLocator({ task, key, random: randomUUID() }, toHash)
  const measured = await storeBody(driver, { locator, body, ...(signal && { signal }) })
  return { locator, ...measured }
}

export async function restoreArtifact(
  driver: ArtifactDriver,
  request: ArtifactRestore,
): Promise<RestoreOutcome> {
  if (!isArtifactLocator(request.locator)) return "foreign-locator"
  try {
    await storeBody(driver, { ...request, expected: request })
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
  /**
   * The length and hash that the body must have. Set for a restore: then the locator may hold what an earlier call
   * stored, which stays after a failure. Without it the locator is new, and what a failure leaves there is removed.
   */
  readonly expected?: Measured
}

/** Rejects with the first failure of the body, of the storage or of the caller, and with `DIFFERS`. */
export async function storeBody(driver: ArtifactDriver, request: BodyAtLocator): Promise<Measured> {
  const { body, expected, locator, signal: caller } = request
  if (caller?.aborted === true) throw createAborted()
  // Only the first reason counts: it is the error of the call.
  const stop = new AbortController()
  const callOff = (): void => stop.abort(createAborted())
  caller?.addEventListener("abort", callOff, { once: true })
  let writer: ObjectWriter | undefined
  let isToDiscard = false
  try {
    writer = await translateFailure(driver, () => driver.begin(locator, stop.signal))
    const { commit, measured } = await writePieces({ body, driver, stop, writer })
    if (expected !== undefined && !isSame(measured, expected)) throw DIFFERS
    isToDiscard = expected === undefined
    await translateFailure(driver, commit)
    if (!(await isHeld(driver, locator, { bytes: measured.bytes, signal: stop.signal }))) {
      isToDiscard = true
      throw createUnavailable(
        driver.name,
        `it does not hold the ${measured.bytes} bytes that it took`,
      )
    }
    stop.signal.throwIfAborted()
    return measured
  } catch (error) {
    stop.abort(error)
    const tidying = AbortSignal.timeout(TIDY_MS)
    await writer?.abandon(tidying).catch(ignoreSecondFailure)
    if (isToDiscard) await driver.remove(locator, tidying).catch(ignoreSecondFailure)
    throw stop.signal.reason
  } finally {
    caller?.removeEventListener("abort", callOff)
  }
}

interface Writing {
  readonly driver: ArtifactDriver
  readonly writer: ObjectWriter
  readonly body: AsyncIterable<Uint8Array>
  /** Aborted by the first failure, which ends everything else and is the reason. */
  readonly stop: AbortController
}

interface Written {
  readonly measured: Measured
  /** Hands over the last piece. */
  readonly commit: () => Promise<void>
}

/** Writes all pieces but the last. A body may use a chunk's memory again once it is asked for the next one. */
async function writePieces({ body, driver, stop, writer }: Writing): Promise<Written> {
  const { signal } = stop
  const memory = createPieceMemory(driver.pieceBytes)
  const writing = new Set<Promise<void>>()
  const sha256 = createHash("sha256")
  let bytes = 0
  let index = 0

  async function write(piece: Uint8Array, current: number): Promise<void> {
    try {
      await translateFailure(driver, () => writer.write(piece, current))
      memory.release(piece)
    } catch (error) {
      stop.abort(error)
    }
  }

  function begin(piece: Uint8Array): void {
    const written = write(piece, index).finally(() => writing.delete(written))
    writing.add(written)
    index += 1
    sha256.update(piece)
    bytes += piece.byteLength
  }

  try {
    for await (const chunk of untilAborted(body, signal, () => signal.reason)) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError("a body's chunks are Uint8Arrays")
      for (let rest = chunk; rest.byteLength > 0;) {
        // More follows, so it is not the last.
        if (memory.isFull()) begin(memory.take())
        while (writing.size >= PIECES_AT_ONCE) await Promise.race(writing)
        rest = memory.fill(rest)
      }
    }
  } catch (error) {
    stop.abort(error)
  }
  await Promise.all(writing)
  signal.throwIfAborted()
  const last = memory.take()
  sha256.update(last)
  return {
    measured: { bytes: bytes + last.byteLength, sha256: sha256.digest("hex") },
    commit: () => writer.commit(last, index),
  }
}

/** Whether the storage says that it holds so many bytes, if it can be asked. */
async function isHeld(
  driver: ArtifactDriver,
  locator: string,
  { bytes, signal }: { readonly bytes: number; readonly signal: AbortSignal },
): Promise<boolean> {
  if (driver.measure === undefined) return true
  const held = await translateFailure(driver, async () => driver.measure?.(locator, signal))
  return held === bytes
}

function isSame(one: Measured, other: Measured): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256
}
