/**
 * Opens URLs of servers on this machine with a guarded fetch, and says how that must fail. Only
 * 127.0.0.1 is allowed, which every name below `.test` leads to, so 127.0.0.2 stands for every address
 * that is not.
 */
import assert from "node:assert/strict"
import { inspect } from "node:util"
import { isSafelightError, type Media, type MediaKind, type MediaRequest } from "@safelight/core"
import { createGuardedFetch, type GuardedFetchOptions } from "@safelight/fetch-guarded"
import { MEDIA_HEADS } from "./media-heads.ts"

export const LOOPBACK: GuardedFetchOptions = {
  allowedAddresses: ["127.0.0.1/32"],
  lookup: async (hostname) => (hostname.endsWith(".test") ? ["127.0.0.1"] : []),
}
export const PNG = Buffer.concat([MEDIA_HEADS.png, Buffer.alloc(200_000, 7)])
export const KINDS: readonly MediaKind[] = ["image", "video", "audio"]

export function open(
  url: string,
  request: Partial<MediaRequest> = {},
  options: GuardedFetchOptions = {},
): Promise<Media> {
  const source = createGuardedFetch({ ...LOOPBACK, ...options })
  return source.open({ url, kinds: KINDS, maxBytes: 1_000_000, ...request })
}

export async function read(media: Media): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of media.body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** That the work is refused with `code`, in words that fit `words` and tell nothing of the URL. */
export async function assertFault(
  work: Promise<unknown>,
  code: string,
  words: RegExp,
  secrets: readonly string[] = ["secret-path", "127.0.0", ".test"],
): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(isSafelightError(error), inspect(error))
    assert.equal(error.code, code, error.message)
    assert.match(error.message, words)
    const told = `${error.message} ${inspect(error.cause)}`
    for (const secret of secrets) assert.ok(!told.includes(secret), told)
    return true
  })
}

export const failed = (work: Promise<unknown>, words: RegExp): Promise<void> =>
  assertFault(work, "media_download_failed", words)
