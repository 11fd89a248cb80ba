/**
 * Whether the bucket lets us do what we need: writes an object beside the artifacts, looks at it,
 * lists and removes it, and lists uploads. A wrong key, region or policy shows here, at the start,
 * not with the first artifact that was paid for.
 */
import { PutObjectCommand } from "@aws-sdk/client-s3"
import { randomUUID } from "node:crypto"
import { createTidySignal, type Bucket } from "./bucket.ts"
import { askObjects, askUploads } from "./list-pages.ts"
import { createUnavailable } from "./storage-failure.ts"
import { deleteObject, isStored } from "./stored-object.ts"

/** No task has such a name, so no `list` shows what is below it. */
const FOLDER = ".check"

/**
 * Rejects with `artifacts-unavailable`, by what failed first. The object is removed then too, as far
 * as that works: one whose storing failed may be there all the same, its answer lost on the way.
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
