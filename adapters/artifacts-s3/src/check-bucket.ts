/**
 * Whether the bucket lets us do what we need: writes an object beside the artifacts, looks at it,
 * lists and removes it. A wrong key, region or policy shows here, at the start, not with the first
 * artifact that was paid for.
 */
import { hash, randomUUID } from "node:crypto"
import { expectFine, type Bucket } from "./bucket.ts"
import { createUnavailable } from "./storage-failure.ts"
import { deleteObject, isStored, putObject } from "./store-payload.ts"

/** No task has such a name, so no `list` shows what is below it. */
const FOLDER = ".check"

const PAYLOAD = { bytes: Uint8Array.of(0), sha256: hash("sha256", Uint8Array.of(0)) }

/** Rejects with `artifacts-unavailable`. */
export async function checkBucket(bucket: Bucket): Promise<void> {
  const key = `${FOLDER}/${randomUUID()}`
  await putObject(bucket, { key }, PAYLOAD)
  try {
    if (!(await isStored(bucket, { key }, PAYLOAD.bytes.byteLength))) {
      throw createUnavailable("it does not hold the byte that it took")
    }
    const query = { "list-type": "2", "max-keys": "1", prefix: `${bucket.prefix}${key}` }
    expectFine(await bucket.ask({ operation: "listing objects", method: "GET", query }))
  } finally {
    await deleteObject(bucket, { key })
  }
}
