/** The bucket as the driver's files see it: one request is a command of the official client. */
import type {
  $Command,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from "@aws-sdk/client-s3"
import { createRequests, type Pause, type StorageRequest } from "@safelight/artifacts"
import { BUCKET_NAME, toRefusal } from "./refusals.ts"
import { createClient } from "./s3-client.ts"
import type { S3Settings } from "./s3-options.ts"

type CommandOf<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = $Command<
  Input,
  Output,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>

export interface Bucket {
  readonly name: string
  /** What every key begins with, a slash at its end included. */
  readonly prefix: string
  /** Names an object, below the prefix. */
  at(key: string): { readonly Bucket: string; readonly Key: string }
  /** Rejects with `artifacts-unavailable` after the last try, and with `aborted` if the signal aborts. */
  ask<Input extends ServiceInputTypes, Output extends ServiceOutputTypes, Otherwise = never>(
    operation: string,
    command: CommandOf<Input, Output>,
    options?: Pick<StorageRequest<Output, Otherwise>, "refused" | "signal">,
  ): Promise<Output | Otherwise>
  readonly pause: Pause
}

export function createBucket(settings: S3Settings): Bucket {
  const { bucket: name, prefix } = settings
  const client = createClient(settings)
  const { ask, pause } = createRequests({ ...settings, name: BUCKET_NAME, toRefusal })
  return {
    name,
    prefix,
    pause,
    at: (key) => ({ Bucket: name, Key: `${prefix}${key}` }),
    ask: (operation, command, options) =>
      ask({
        operation,
        ...options,
        send: (signal) => client.send(command, signal === undefined ? {} : { abortSignal: signal }),
      }),
  }
}
