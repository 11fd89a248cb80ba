/** Reads an answer that is a document, up to a bound: a bucket that lies may never end one. */
import type { AnswerBody } from "./answer-body.ts"
import { createUnavailable } from "./storage-failure.ts"

/** A page of 1,000 keys of 1,024 bytes, each escaped and described, is under 3 MiB. */
const MOST_TEXT_BYTES = 8 * 1024 * 1024
const READ_BYTES = 16 * 1024

/** Leaves the body open. Rejects with `artifacts-unavailable`. */
export async function readText(body: AnswerBody): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const into = new Uint8Array(READ_BYTES)
    // oxlint-disable-next-line no-await-in-loop -- in order
    const count = await body.read(into)
    if (count === 0) return Buffer.concat(chunks).toString()
    bytes += count
    if (bytes > MOST_TEXT_BYTES) throw createUnavailable("an answer has no end")
    chunks.push(into.subarray(0, count))
  }
}
