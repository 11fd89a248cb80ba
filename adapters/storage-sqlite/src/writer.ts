/**
 * The group commit over the writing thread, as the main thread holds it. Up to two batches are under
 * way, so that the thread has its next one the moment it ends the last.
 *
 * What a rejected change did is unknown where the thread died, and where a commit failed that nothing
 * could take the place of: its error doesn't say `isUndone`. The same change may be handed in again,
 * and the version check finds it where it was stored after all.
 */
import { SafelightError, type Log } from "@safelight/core"
import {
  createGroupCommit,
  type Change,
  type ChangeOutcome,
  type Commit,
  type PendingChange,
  type SqlValue,
  type Statement,
} from "@safelight/store"
import { isChangeOutcome, toSafelightError } from "./storage-error.ts"
import { PLAIN, type EncodedChange, type WriterAnswer, type WriterSettings } from "./protocol.ts"
import { createNumbering, startWritingThread, type WritingThread } from "./writing-thread.ts"

export interface Writer {
  /**
   * Resolves once what the change did is durable. Rejects with `storage-unavailable`, retryable
   * unless the change itself is at fault, or with `overloaded`.
   */
  readonly write: (change: Change) => Promise<ChangeOutcome>
  /** Resolves once everything handed in is settled; later writes reject. */
  readonly drain: () => Promise<void>
  /** Ends the thread of a drained writer. */
  readonly end: () => Promise<void>
}

interface Pending extends PendingChange {
  readonly encoded: EncodedChange
  readonly resolve: (outcome: ChangeOutcome) => void
}

interface UnderWay {
  readonly batch: readonly Pending[]
  readonly settled: PromiseWithResolvers<boolean>
}

export interface WriterOptions {
  readonly onCommit: (commit: Commit) => void
  readonly settings: WriterSettings
  readonly log: Log
}

/** One is committed while the next is gathered. */
const LANES = [0, 1]

export function createWriter({ settings, log, onCommit }: WriterOptions): Writer {
  const numbering = createNumbering()
  const underWay: UnderWay[] = []
  let thread: WritingThread | undefined

  const group = createGroupCommit<number, Pending>({
    lanes: LANES,
    async commit(_, batch) {
      const settled = Promise.withResolvers<boolean>()
      underWay.push({ batch, settled })
      thread ??= startWritingThread({ settings, numbering, onAnswer, onEnd })
      thread.commit(batch.map(({ encoded }) => encoded))
      return settled.promise
    },
    // An idle storage keeps no process alive.
    onRest: () => thread?.rest(),
    onDone: (_, commit) => onCommit(commit),
  })

  function onAnswer(answer: WriterAnswer): void {
    const { failure } = answer
    if (failure !== null) log.error({ ...failure }, "commit failed")
    const answered = underWay.shift()
    if (answered === undefined) return
    settle(answered.batch, answer)
    answered.settled.resolve(failure === null)
  }

  function onEnd(cause: unknown): void {
    thread = undefined
    const lost = underWay.splice(0)
    const isAsked = group.isClosed() && lost.length === 0
    if (!isAsked) log.error({ cause: String(cause) }, "writer thread ended")
    for (const { batch, settled } of lost) {
      for (const { reject } of batch) reject(threadEnded(cause))
      settled.resolve(false)
    }
  }

  return {
    write: (change) =>
      new Promise((resolve, reject) => {
        const encoded = encode(change, numbering.toNumber)
        const isJudged = (change.checks ?? []).length > 0
        group.add({ encoded, bytes: measure(encoded), isJudged, resolve, reject })
      }),
    drain: group.drain,
    end: async () => thread?.end(),
  }
}

function settle(batch: readonly Pending[], { failure, isUndone, outcomes }: WriterAnswer): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index]
    if (failure !== null) reject(toSafelightError(failure, { isUndone }))
    else if (outcome === undefined) reject(new RangeError("the writing thread forgot a change"))
    else if (isChangeOutcome(outcome)) resolve(outcome)
    else reject(toSafelightError(outcome, { isUndone: true }))
  }
}

/** The size of a change's texts, near enough: characters for bytes. */
function measure(change: EncodedChange): number {
  let size = 0
  for (const value of change) if (typeof value === "string") size += value.length
  return size
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

function threadEnded(cause: unknown): SafelightError {
  const message = "the writing thread ended before it answered; whether it committed is unknown"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true, cause })
}
