/**
 * Sends a body by the client's own `Upload`: in one request if it fits into a part, otherwise in parts.
 * `Upload` passes no signal on, waits for a body that hangs, keeps the chunks that it was given, and takes a lost
 * answer to its completion for a failure. So it is given a client that handles these cases, and chunks in
 * memory of their own.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
} from "@aws-sdk/client-s3"
import { Upload } from "@aws-sdk/lib-storage"
import { Readable } from "node:stream"
import { createLateSignal, createTidySignal, type Bucket } from "./bucket.ts"
import type { BucketClient } from "./s3-client.ts"
import { createUnavailable, toRefusal, toUnavailable } from "./storage-failure.ts"

export interface UploadRequest {
  readonly key: string
  readonly chunks: AsyncIterable<Uint8Array>
  readonly partBytes: number
  /** Aborted by the first failure, which ends everything else and is the reason. */
  readonly stop: AbortController
}

/** One part is sent while the next one is gathered. */
const PARTS_AT_ONCE = 2

/**
 * Rejects with the reason of `stop` once every request has ended, and the upload is abandoned as far
 * as the bucket lets us.
 */
export async function uploadBody(bucket: Bucket, request: UploadRequest): Promise<void> {
  const { key, chunks, partBytes, stop } = request
  // One chunk ahead at most: a stream would ask for sixteen.
  const body = Readable.from(chunks, { highWaterMark: 1 })
  try {
    const upload = new Upload({
      client: createStoppableClient(bucket.client, stop) as S3Client,
      params: { ...bucket.at(key), Body: body, ContentType: "application/octet-stream" },
      partSize: partBytes,
      queueSize: PARTS_AT_ONCE,
      leavePartsOnError: false,
    })
    await upload.done()
  } catch (error) {
    stop.abort(toUnavailable("storing a body", error))
    throw stop.signal.reason
  }
}

/** Sends any command. */
interface AnySender {
  send(command: object, options: object): Promise<object>
}

function createStoppableClient(client: BucketClient, stop: AbortController): object {
  const sender = client as AnySender
  return {
    config: client.config,
    async send(command: object): Promise<object> {
      if (command instanceof AbortMultipartUploadCommand) {
        return sender.send(command, { abortSignal: createTidySignal() })
      }
      try {
        stop.signal.throwIfAborted()
        // Waits for the answer, which has the id: without it the upload could not be abandoned.
        const isBeginning = command instanceof CreateMultipartUploadCommand
        const abortSignal = isBeginning ? createLateSignal(stop.signal) : stop.signal
        const output = await sender.send(command, { abortSignal })
        return assertNamed(command, output)
      } catch (error) {
        // An earlier try completed the upload and its answer was lost. The caller checks the object next.
        if (command instanceof CompleteMultipartUploadCommand && isGone(error)) return {}
        stop.abort(toUnavailable(OPERATIONS[command.constructor.name] ?? "storing", error))
        throw error
      }
    },
  }
}

const OPERATIONS: Readonly<Record<string, string>> = {
  PutObjectCommand: "storing an object",
  CreateMultipartUploadCommand: "starting an upload",
  UploadPartCommand: "storing a part",
  CompleteMultipartUploadCommand: "completing an upload",
}

/** Without an id the upload could not be abandoned. */
function assertNamed(command: object, output: object): object {
  if (!(command instanceof CreateMultipartUploadCommand)) return output
  const { UploadId } = output as { readonly UploadId?: string }
  if (UploadId === undefined || UploadId === "") {
    throw createUnavailable("it started an upload without an id")
  }
  return output
}

function isGone(error: unknown): boolean {
  return toRefusal(error).code === "NoSuchUpload"
}
