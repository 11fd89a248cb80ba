/**
 * Whether the bucket allows all that is needed: an object is written next to the artifacts, read, listed and
 * removed, and uploads are listed. A wrong key, region or policy shows at the start and not with the first
 * artifact that was paid for.
 */
import { PutObjectCommand } from "@aws-sdk/client-s3"
import { randomUUID } from "node:crypto"
import { createTidySignal, type Bucket } from "./bucket.ts"
import { askObjects, askUploads } from "./list-pages.ts"
import { createUnavailable } from "./storage-failure.ts"
import { deleteObject, isStored } from "./stored-object.ts"

/** No task has such a name, so `list` does not show it. */
const FOLDER = ".check"

/**
 * Rejects with `artifacts-unavailable`, naming the first failure. The object is removed then too, if possible:
 * it may exist although storing it failed, if only the answer was lost.
 */
export async function checkBucket(bucket: Bucket): Promise<void> {
  const key = `${FOLDER}/${randomUUID()}`
  try {
    await proveStoring(bucket, key)
    await askObjects(bucket, { begin: key, most: 1 })
    await askUploads(bucket, { most: 1 })
  } catch (error) {
    await deleteObject(bucket, key, createTidySignal()).catch(ignoreSecondFailure)
    throw error
  }
  await deleteObject(bucket, key)
}

async function proveStoring(bucket: Bucket, key: string): Promise<void> {
  const input = { ...bucket.at(key), Body: Uint8Array.of(0) }
  await bucket.ask({
    operation: "storing an object",
    send: (client, options) => client.send(new PutObjectCommand(input), options),
  })
  if (!(await isStored(bucket, key, { bytes: 1 }))) {
    throw createUnavailable("it does not hold the byte that it took")
  }
}

function ignoreSecondFailure(_error: unknown): void {}
