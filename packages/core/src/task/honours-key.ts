/** Whether a channel still honours an upstream key (design §5). */
import type { Channel } from "../ports/channel.ts"

/** Whether a key that was first sent at `keyedAt` (ms) outlives a repeat begun now; true for channels that honour no key. */
export function honoursKey(
  { submission, submitTimeoutMs }: Pick<Channel, "submission" | "submitTimeoutMs">,
  keyedAt: number,
  now: number,
): boolean {
  return submission.kind !== "keyed" || now + submitTimeoutMs < keyedAt + submission.keyTtlMs
}
