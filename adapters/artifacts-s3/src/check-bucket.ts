/**
 * Whether the bucket lets us do what we need: writes an object beside the artifacts, looks at it,
 * lists and removes it, and lists uploads. A wrong key, region or policy shows here, at the start,
 * not with the first artifact that was paid for.
 */
import { hash, randomUUID } from "node:crypto"
import type { Bucket } from "./bucket.ts"
import { askPage } from "./list-pages.ts"
import { createUnavailable } from "./storage-failure.ts"
import { deleteObject, isStored, putObject, TIDY_PATIENCE } from "./store-payload.ts"

/** No task has such a name, so no `list` shows what is below it. */
const FOLDER = ".check"

const PAYLOAD = { bytes: Uint8Array.of(0), sha256: hash("sha256", Uint8Array.of(0)) }

/**
 * Rejects with `artifacts-unavailable`, by what failed first. The object is removed then too, as far
 * as that works: one whose storing failed may be there all the same, its answer lost on the way.
 */
export async function checkBucket(bucket: Bucket): Promise<void> {
  const key = `${FOLDER}/${randomUUID()}`
  try {
    await proveStoring(bucket, key)
    await proveListing(bucket, key)
  } catch (error) {
    await deleteObject(bucket, { key }, TIDY_PATIENCE).catch(ignoreSecondFailure)
    throw error
  }
  await deleteObject(bucket, { key })
}

async function proveStoring(bucket: Bucket, key: string): Promise<void> {
  await putObject(bucket, { key }, PAYLOAD)
  if (!(await isStored(bucket, { key }, PAYLOAD.bytes.byteLength))) {
    throw createUnavailable("it does not hold the byte that it took")
  }
}

/** Of objects, as a list needs it, and of uploads, as the sweep does. */
async function proveListing(bucket: Bucket, key: string): Promise<void> {
  const { prefix } = bucket
  await askPage(bucket, {
    operation: "listing objects",
    query: { "list-type": "2", "max-keys": "1", prefix: `${prefix}${key}` },
    root: "ListBucketResult",
  })
  await askPage(bucket, {
    operation: "listing uploads",
    query: { uploads: "", "max-uploads": "1", ...(prefix === "" ? {} : { prefix }) },
    root: "ListMultipartUploadsResult",
  })
}

function ignoreSecondFailure(_error: unknown): void {}
