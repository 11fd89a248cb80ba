/**
 * The store's writer over the writing thread. Up to two batches are under way, so that the thread has
 * its next one the moment it ends the last; both lanes lead to the one thread, which keeps their order.
 *
 * The outcome of a rejected change is unknown if the thread died, or if a commit failed and its frames could
 * not be overwritten. The same change may be handed in again: the version check finds it if it was stored.
 */
import type { Log, SafelightError } from "@safelight/core"
import { createThread, findProgram, type ThreadEnd } from "@safelight/host"
import {
  createWriter,
  DatabaseError,
  type Change,
  type ChangeOutcome,
  type Commit,
  type Lane,
  type SqlValue,
  type Statement,
} from "@safelight/store"
import type { Failure } from "./failure.ts"
import { createNumbering } from "./numbering.ts"
import {
  PLAIN,
  type EncodedChange,
  type WriterAnswer,
  type WriterRequest,
  type WriterSettings,
} from "./protocol.ts"
import { isChangeOutcome, toDatabaseError, toSafelightError } from "./storage-error.ts"

export interface ChangeWriter {
  /** Resolves once what the change did is durable; rejects as a `Writer` of the store does. */
  readonly write: (change: Change) => Promise<ChangeOutcome>
  /** Settles everything handed in, and rejects what comes later. */
  readonly drain: () => Promise<void>
  /** Ends the thread of a drained writer. */
  readonly end: () => Promise<void>
}

export interface ChangeWriterOptions {
  readonly onCommit: (commit: Commit) => void
  readonly settings: WriterSettings
  readonly log: Log
}

export function createChangeWriter(options: ChangeWriterOptions): ChangeWriter {
  const { settings, log, onCommit } = options
  const numbering = createNumbering()
  const thread = createThread<WriterRequest, WriterAnswer>({
    program: findProgram("writing-thread-body", import.meta.url),
    workerData: settings,
    onEnd(end) {
      numbering.restart()
      if (!isEnding || end.unanswered > 0) {
        log.error({ cause: String(end.cause) }, "writer thread ended")
      }
      return threadEnded(end)
    },
  })
  let isEnding = false

  const lane: Lane<EncodedChange, ChangeOutcome> = {
    async commit(changes) {
      const definitions = numbering.takeNew()
      const answer = await thread.ask({ kind: "commit", definitions, changes })
      const { failure, isUndone, outcomes } = answer
      if (failure === null) return outcomes.map(toVerdict)
      log.error({ ...failure }, "commit failed")
      throw toDatabaseError(failure, isUndone)
    },
  }
  const { write, drain } = createWriter({ lanes: [lane, { ...lane }], onCommit })

  return {
    write(change) {
      const work = encode(change, numbering.toNumber)
      return write({ work, bytes: measure(work), isAsked: (change.checks ?? []).length > 0 })
    },
    drain,
    async end() {
      isEnding = true
      await thread.end({ kind: "close" })
    },
  }
}

function toVerdict(outcome: ChangeOutcome | Failure): ChangeOutcome | SafelightError {
  return isChangeOutcome(outcome) ? outcome : toSafelightError(outcome, { isUndone: true })
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

function threadEnded({ how, cause }: ThreadEnd): DatabaseError {
  const message = `SQLite's writing thread ${how} before it answered; whether it committed is unknown; the next write starts another`
  return new DatabaseError({ fault: "lost", message, cause })
}
