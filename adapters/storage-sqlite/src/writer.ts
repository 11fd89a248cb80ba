/**
 * Group commit, seen from the main thread. Changes that queue up while earlier ones are being
 * committed go out together as one batch; there is no timer. Up to two batches are under way, so
 * that the writing thread has its next one the moment it ends the last.
 *
 *   waiting ──(a batch's room)──▶ under way ──(answer)──▶ settled
 *                                     └──(the thread died)──▶ rejected, outcome unknown
 *
 * What a rejected change did is unknown where the thread died, and where a commit failed that nothing
 * could take the place of: its error doesn't say `isUndone`. The same change may be handed in again,
 * and the version check finds it where it was stored after all.
 */
import { SafelightError, type Log } from "@safelight/core"
import type { Change, ChangeOutcome, SqlValue, Statement } from "@safelight/store"
import { settleBatch, takeBatch, toShare, type BatchBounds, type PendingChange } from "./batch.ts"
import { closed } from "./storage-error.ts"
import { PLAIN, type EncodedChange, type WriterAnswer, type WriterSettings } from "./protocol.ts"
import { createNumbering, startWritingThread, type WritingThread } from "./writing-thread.ts"

export interface Writer {
  /**
   * Resolves once what the change did is durable. Rejects with `storage-unavailable`, retryable
   * unless the change itself is at fault.
   */
  readonly write: (change: Change) => Promise<ChangeOutcome>
  /** Resolves once everything handed in is settled; later writes reject. */
  readonly drain: () => Promise<void>
  /** Ends the thread of a drained writer. */
  readonly end: () => Promise<void>
}

/** What was committed together, or given up, for who watches. */
export interface Commit {
  readonly changes: number
  /** From when it was sent; a second batch under way waits for the first in it. */
  readonly durationMs: number
  readonly isFailed: boolean
}

interface UnderWay {
  readonly batch: readonly PendingChange[]
  readonly sentAt: number
}

const NOTHING: UnderWay = { batch: [], sentAt: 0 }

export interface WriterOptions extends BatchBounds {
  readonly onCommit: (commit: Commit) => void
  readonly settings: WriterSettings
  readonly log: Log
  readonly maxBatchesUnderWay: number
}

export function createWriter(options: WriterOptions): Writer {
  const { settings, log, maxBatchesUnderWay } = options
  const numbering = createNumbering()
  const waiting: PendingChange[] = []
  const underWay: UnderWay[] = []
  let thread: WritingThread | undefined
  let isFlushing = false
  let isClosed = false
  const drained = Promise.withResolvers<void>()

  function scheduleFlush(): void {
    if (isFlushing || waiting.length === 0 || underWay.length >= maxBatchesUnderWay) return
    isFlushing = true
    // Behind the I/O of this turn of the event loop, so that changes of many sockets go together.
    setImmediate(flush)
  }

  function flush(): void {
    isFlushing = false
    thread ??= startWritingThread({ settings, numbering, onAnswer, onEnd })
    while (waiting.length > 0 && underWay.length < maxBatchesUnderWay) {
      const share = toShare(waiting.length, maxBatchesUnderWay - underWay.length)
      const batch = takeBatch(waiting, share, options)
      underWay.push({ batch, sentAt: performance.now() })
      thread.commit(batch.map(({ change }) => change))
    }
  }

  function onAnswer(answer: WriterAnswer): void {
    settle(underWay.shift() ?? NOTHING, answer, options)
    continueOrRest()
  }

  function onEnd(cause: unknown): void {
    thread = undefined
    const lost = underWay.splice(0).flatMap(({ batch }) => batch)
    const isAsked = isClosed && lost.length === 0
    if (!isAsked) log.error({ cause: String(cause) }, "the writing thread ended unasked")
    for (const { reject } of lost) reject(threadEnded(cause))
    continueOrRest()
  }

  function continueOrRest(): void {
    scheduleFlush()
    if (waiting.length > 0 || underWay.length > 0) return
    // An idle storage keeps no process alive.
    thread?.rest()
    if (isClosed) drained.resolve()
  }

  return {
    async write(change) {
      if (isClosed) throw closed()
      const encoded = encode(change, numbering.toNumber)
      return new Promise((resolve, reject) => {
        waiting.push({ change: encoded, resolve, reject })
        scheduleFlush()
      })
    },
    drain() {
      isClosed = true
      continueOrRest()
      return drained.promise
    },
    end: async () => thread?.end(),
  }
}

/** The flat change that crosses to the writing thread. */
function encode(
  { checks = [], steps, isGuarded = false }: Change,
  toNumber: (statement: Statement) => number,
): EncodedChange {
  const encoded: SqlValue[] = [isGuarded ? checks.length : PLAIN]
  for (const { statement, values } of [...checks, ...steps]) {
    encoded.push(toNumber(statement), ...values)
  }
  return encoded
}

function settle(
  { batch, sentAt }: UnderWay,
  answer: WriterAnswer,
  { log, onCommit }: WriterOptions,
): void {
  const { failure } = answer
  if (failure !== null) log.error({ ...failure }, "a batch of writes failed twice")
  settleBatch(batch, answer)
  const durationMs = performance.now() - sentAt
  onCommit({ changes: batch.length, durationMs, isFailed: failure !== null })
}

function threadEnded(cause: unknown): SafelightError {
  const message = "the writing thread ended before it answered; whether it committed is unknown"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true, cause })
}
