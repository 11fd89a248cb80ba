/**
 * A channel that costs nothing, whose operator has allowed repeats: what is in doubt is asked for again
 * under its key for as long as the task lives, as of one that honours keys for good. The channel may do
 * the work twice. It stays with it: also here an unknown outcome is no reason to ask another.
 */
import type { Channel } from "@safelight/core"

export function toRepeating(channel: Channel): Channel {
  const { kind } = channel.submission
  // One that can be asked what became of a key has an answer to every doubt.
  if (kind === "lookup") return channel
  const repeating = { ...channel, submission: { kind: "keyed", keyTtlMs: Infinity } } as const
  if (kind === "keyed") return repeating
  // To one that knows no keys each request is the first: what it refuses, it refuses.
  return { ...repeating, submit: ({ isRepeat: _, ...request }) => channel.submit(request) }
}
