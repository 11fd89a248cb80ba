/**
 * Requests to the bucket. The client's errors are translated here, once. A refusal is first given to the caller
 * with its status and code, since only the caller knows what it means.
 */
import { createClient, type BucketClient } from "./s3-client.ts"
import type { S3Settings } from "./s3-options.ts"
import { createPause, type Pause } from "./retries.ts"
import { createAborted, toRefusal, toUnavailable, type Refusal } from "./storage-failure.ts"

export interface SendOptions {
  readonly abortSignal?: AbortSignal
}

export interface BucketRequest<Output, Otherwise> {
  /** What the request does, for error messages: `removing an object`. */
  readonly operation: string
  readonly signal?: AbortSignal | undefined
  readonly send: (client: BucketClient, options: SendOptions) => Promise<Output>
  /** The meaning of a refusal; if it is undefined, as by default, the refusal is a failure. */
  readonly refused?: (refusal: Refusal) => Otherwise | undefined | Promise<Otherwise | undefined>
}

export interface Bucket {
  readonly client: BucketClient
  readonly name: string
  /** What every key begins with, a slash at its end included. */
  readonly prefix: string
  /** Names an object, below the prefix. */
  at(key: string): { readonly Bucket: string; readonly Key: string }
  /** Rejects with `artifacts-unavailable` after the last try, and with `aborted` if the signal aborts. */
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

/** Long enough for some tries, short enough for a caller who waits for the error. */
const TIDY_MS = 10_000

/** For cleaning up after a failure. A sweep or `list` finds what could not be removed in time. */
export function createTidySignal(): AbortSignal {
  return AbortSignal.timeout(TIDY_MS)
}

/** Aborts later than `signal`, by the time that cleaning up may take. */
export function createLateSignal(signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  const onAbort = (): void => void setTimeout(() => late.abort(), TIDY_MS).unref()
  signal.addEventListener("abort", onAbort, { once: true })
  return late.signal
}
