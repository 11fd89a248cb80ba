/**
 * Requests of a driver whose storage is behind a network. A failure that may pass is tried again after a wait
 * that grows; then it is translated, once. A refusal is first given to the caller, since only the
 * caller knows what it means.
 */
import { isSafelightError, type Clock, type Log } from "@safelight/core"
import { createAborted, createUnavailable } from "./failures.ts"

/** The wait before try number `attempt` + 1. */
export type Pause = (attempt: number, signal?: AbortSignal) => Promise<void>

/** A request that failed, in the words of the driver. */
export interface Refusal {
  /** Undefined if there was no answer. */
  readonly status: number | undefined
  /** The code that the storage, the socket or the client gave. */
  readonly code: string
  /** Whether the same request may succeed a little later. */
  readonly isPassing: boolean
  /** What is logged and reported, without secrets: `was answered 503 SlowDown`. */
  readonly words: string
}

export interface RequestsOptions {
  /** The driver's name. */
  readonly name: string
  /** How often a request is made in all. */
  readonly tries: number
  readonly clock: Pick<Clock, "wait">
  /** From 0 to below 1: spreads the waits between tries. */
  readonly random: () => number
  readonly log: Log
  /** Undefined for a bug of ours, which stays as it is. */
  readonly toRefusal: (error: unknown) => Refusal | undefined
}

export interface StorageRequest<Output, Otherwise> {
  /** What the request does, for error messages: `removing an object`. */
  readonly operation: string
  readonly signal?: AbortSignal | undefined
  readonly send: (signal: AbortSignal | undefined) => Promise<Output>
  /** The meaning of a refusal; if it is undefined, as by default, the refusal is a failure. */
  readonly refused?: (refusal: Refusal) => Otherwise | undefined | Promise<Otherwise | undefined>
}

export interface Requests {
  /** Rejects with `artifacts-unavailable` after the last try, and with `aborted` if the signal aborts. */
  readonly ask: <Output, Otherwise = never>(
    request: StorageRequest<Output, Otherwise>,
  ) => Promise<Output | Otherwise>
  readonly pause: Pause
}

/** About as long as a request takes: a shorter pause would only add to the load. */
const FIRST_PAUSE_MS = 200
/** Long enough for a bucket that scales up; the sum stays far below a task's time. */
const LONGEST_PAUSE_MS = 5_000

export function createRequests(options: RequestsOptions): Requests {
  const { clock, log, name, random, toRefusal, tries } = options

  /** A random part of a time that doubles, so that requests that failed together are not repeated together. */
  function pause(attempt: number, signal?: AbortSignal): Promise<void> {
    const longestMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
    return clock.wait(Math.ceil(random() * longestMs), signal)
  }

  /** Throws what is no refusal. */
  function toKnownRefusal(error: unknown, signal: AbortSignal | undefined): Refusal {
    if (signal?.aborted === true) throw createAborted()
    const refusal = isSafelightError(error) ? undefined : toRefusal(error)
    if (refusal === undefined) throw error
    return refusal
  }

  /** Throws unless there is another try. */
  function judge({ isPassing, words }: Refusal, operation: string, attempt: number): void {
    if (isPassing) log.warn({ attempt, reason: words }, "bucket request failed")
    if (!isPassing || attempt >= tries) throw createUnavailable(name, `${operation} ${words}`)
  }

  return {
    pause,
    async ask({ operation, refused, send, signal }) {
      for (let attempt = 1; ; attempt += 1) {
        if (signal?.aborted === true) throw createAborted()
        try {
          // oxlint-disable-next-line no-await-in-loop -- one try after the other
          return await send(signal)
        } catch (error) {
          const refusal = toKnownRefusal(error, signal)
          // oxlint-disable-next-line no-await-in-loop
          const meaning = await refused?.(refusal)
          if (meaning !== undefined) return meaning
          judge(refusal, operation, attempt)
        }
        // oxlint-disable-next-line no-await-in-loop
        await pause(attempt, signal)
      }
    },
  }
}
