/** Removes one object, or asks the bucket whether it holds an object that it accepted. */
import { DeleteObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3"
import type { Bucket } from "./bucket.ts"

/** Resolves even if there is none. Rejects with `artifacts-unavailable`. */
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
 * Whether the bucket says that the object has so many bytes. Rejects with `artifacts-unavailable` if it has
 * no such object.
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
