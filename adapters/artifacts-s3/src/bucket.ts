/**
 * Asks the bucket. What the client throws is translated here, once; an answer that time won't mend is
 * data first, with its status and code: only the caller knows what a refusal means.
 */
import { createClient, type BucketClient } from "./s3-client.ts"
import type { S3Settings } from "./s3-options.ts"
import { createPause, type Pause } from "./retries.ts"
import { createAborted, toRefusal, toUnavailable, type Refusal } from "./storage-failure.ts"

export interface SendOptions {
  readonly abortSignal?: AbortSignal
}

export interface BucketRequest<Output, Otherwise> {
  /** What is done, for errors. */
  readonly operation: string
  readonly signal?: AbortSignal | undefined
  readonly send: (client: BucketClient, options: SendOptions) => Promise<Output>
  /** What a refusal means; by default nothing but a failure. */
  readonly refused?: (refusal: Refusal) => Otherwise | undefined | Promise<Otherwise | undefined>
}

export interface Bucket {
  readonly client: BucketClient
  readonly name: string
  /** Before every key, with its slash. */
  readonly prefix: string
  /** Names an object, below the prefix. */
  at(key: string): { readonly Bucket: string; readonly Key: string }
  /** Rejects with `artifacts-unavailable` after the last try, `aborted` on the signal. */
  ask<Output, Otherwise = never>(
    request: BucketRequest<Output, Otherwise>,
  ): Promise<Output | Otherwise>
  readonly pause: Pause
}

export function createBucket(settings: S3Settings): Bucket {
  const { bucket: name, prefix } = settings
  const pause = createPause(settings)
  const client = createClient(settings, pause)

  return {
    client,
    name,
    prefix,
    pause,
    at: (key) => ({ Bucket: name, Key: `${prefix}${key}` }),
    async ask({ operation, signal, send, refused }) {
      try {
        return await send(client, signal === undefined ? {} : { abortSignal: signal })
      } catch (error) {
        if (signal?.aborted === true) throw createAborted()
        const meaning = await refused?.(toRefusal(error))
        if (meaning !== undefined) return meaning
        throw toUnavailable(operation, error)
      }
    },
  }
}

/** Long enough for some tries, short enough for a caller who waits to hear of a failure. */
const TIDY_MS = 10_000

/**
 * For tidying up after a failure: the failure is already known. What stays is found by a sweep, or
 * by `list`.
 */
export function createTidySignal(): AbortSignal {
  return AbortSignal.timeout(TIDY_MS)
}

/** Aborts as long after another as tidying up may take. */
export function createLateSignal(signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  const onAbort = (): void => void setTimeout(() => late.abort(), TIDY_MS).unref()
  signal.addEventListener("abort", onAbort, { once: true })
  return late.signal
}
