/**
 * Requests that say they are repeats. OpenAI's own libraries send a request again after a lost or failed answer and
 * count that in a header, without a key that would make both one purchase. Each task is therefore labelled with a
 * digest of the caller's key and the body, by which a repeat finds the newest task of an equal request, whichever
 * process took that. Whether its answer arrived nobody here can know, so a repeat never buys while that task is under
 * way, or was finished so lately that this may be its repeat; unless this process has refused an equal request since.
 */
import type { Task } from "@safelight/client"
import type { Call } from "./call.ts"

/** Told by every request of these libraries: 0 by the first. */
const REPEAT_HEADER = "x-stainless-retry-count"
export const REQUEST_LABEL = "openai-request"

/** The longest pause before a repeat, which `Retry-After` may ask for, and the time of a slow answer. */
const LATEST_REPEAT_MS = 90_000

/** Whether the caller may send the request again: it counts repeats, or has a key by which they are one purchase. */
export function mayRepeat({ headers }: Request): boolean {
  return headers.has(REPEAT_HEADER) || headers.has("idempotency-key")
}

export function isRepeat({ headers }: Request): boolean {
  return Number(headers.get(REPEAT_HEADER)) >= 1
}

/**
 * The task that a repeat is to have; undefined if it is a purchase of its own. No equal request may be in the midst of
 * a purchase. Rejects with an `ApiError`.
 */
export async function findEarlier(call: Call, digest: string): Promise<Task | undefined> {
  const { client, purchases, signal } = call
  const label = [`${REQUEST_LABEL}=${digest}`]
  const { tasks } = await client.listPage({ label, limit: 1 }, { signal })
  const [newest] = tasks
  // 0 while it is under way.
  const finishedAt = newest?.finished_at ?? 0
  const isOver = finishedAt > 0 && call.now() - finishedAt * 1_000 > LATEST_REPEAT_MS
  // What it repeats is a request that was refused since, and bought nothing. The end is told in whole seconds.
  const isRefused = finishedAt > 0 && purchases.refusedAt(digest) >= (finishedAt + 1) * 1_000
  return isOver || isRefused ? undefined : newest
}
