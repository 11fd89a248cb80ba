/**
 * Stores one object by one request, or takes one away, and says whether a bucket has what it said it
 * took: a length that differs, or nothing at all, after a 200, is a bucket that lies.
 */
import { expectFine, isFine, toRefusal, type Bucket, type Payload } from "./bucket.ts"

export interface ObjectTarget {
  readonly key: string
  readonly signal?: AbortSignal
}

/** Of objects whose type only the manifest knows. */
export const OBJECT_HEADERS = { "content-type": "application/octet-stream" } as const

/**
 * For tidying up after a failure: the failure is already known, and its caller waits. What stays is
 * found by a sweep, or by `list`.
 */
export const TIDY_PATIENCE = { tries: 2, idleTimeoutMs: 5_000 } as const

export async function putObject(
  bucket: Bucket,
  target: ObjectTarget,
  payload: Payload,
): Promise<void> {
  const answer = await bucket.ask({
    operation: "storing an object",
    method: "PUT",
    headers: OBJECT_HEADERS,
    body: payload,
    ...target,
  })
  expectFine(answer)
}

/** Resolves also where there is none. */
export async function deleteObject(
  bucket: Bucket,
  target: ObjectTarget,
  patience?: typeof TIDY_PATIENCE,
): Promise<void> {
  const answer = await bucket.ask({
    operation: "removing an object",
    method: "DELETE",
    ...target,
    ...(patience === undefined ? {} : { patience }),
  })
  if (!isFine(answer) && answer.code !== "NoSuchKey") throw toRefusal(answer)
}

/**
 * Whether the bucket says that it holds so many bytes. Rejects with `artifacts-unavailable` where it
 * has no such object.
 */
export async function isStored(
  bucket: Bucket,
  target: ObjectTarget,
  bytes: number,
): Promise<boolean> {
  const operation = "looking for the stored object"
  const answer = expectFine(await bucket.ask({ operation, method: "HEAD", ...target }))
  return answer.headers["content-length"] === String(bytes)
}
