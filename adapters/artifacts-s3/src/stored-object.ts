/** Takes one object away, and says whether a bucket has what it said it took. */
import { DeleteObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3"
import type { Bucket } from "./bucket.ts"

/** Resolves also where there is none. */
export async function deleteObject(
  bucket: Bucket,
  key: string,
  signal?: AbortSignal,
): Promise<void> {
  await bucket.ask({
    operation: "removing an object",
    signal,
    send: (client, options) => client.send(new DeleteObjectCommand(bucket.at(key)), options),
    refused: ({ code }) => (code === "NoSuchKey" ? "none" : undefined),
  })
}

/**
 * Whether the bucket says that it holds so many bytes: another length, or nothing at all, after a
 * 200 is a bucket that lies. Rejects with `artifacts-unavailable` where it has no such object.
 */
export async function isStored(
  bucket: Bucket,
  key: string,
  { bytes, signal }: { readonly bytes: number; readonly signal?: AbortSignal },
): Promise<boolean> {
  const { ContentLength } = await bucket.ask({
    operation: "looking for the stored object",
    signal,
    send: (client, options) => client.send(new HeadObjectCommand(bucket.at(key)), options),
  })
  return ContentLength === bytes
}
