/**
 * Proves a task's chain of hashes where its log is read, a browser too: each event's hash is that of its other members,
 * the sealed ones included, and of the event before it, so no event was changed, taken out or put in since the last hash was made. It does not
 * prove who made it: for that an operator keeps a hash elsewhere.
 */
import { hashParts, toHex } from "../proofs/bytes.ts"
import { GENESIS_HASH, hashEvent } from "../proofs/event-hash.ts"
import type { StoredEvent } from "./admin-task-calls.ts"

export interface EventProof {
  readonly isWhole: boolean
  /** The place of the first event that is not as it was sealed, from 1; null if all are. */
  readonly brokenAt: number | null
  /** Of the last event that was proved, 64 hexadecimal digits: it stands for everything up to there. */
  readonly hash: string
}

/** `events` is a task's whole log, oldest first, as `admin.taskEvents` gives it. */
export function proveEvents(events: readonly StoredEvent[]): EventProof {
  let hash = GENESIS_HASH
  for (const [index, event] of events.entries()) {
    const isNext = event.version === index + 1 && event.task === events[0]?.task
    if (!isNext || hashStored(hash, event) !== event.hash) {
      return { isWhole: false, brokenAt: index + 1, hash }
    }
    hash = event.hash
  }
  return { isWhole: true, brokenAt: null, hash }
}

function hashStored(previous: string, { sealed, ...event }: StoredEvent): string {
  if (sealed === null) return hashEvent(previous, event)
  return hashEvent(previous, { ...event, sealed: toHex(hashParts(sealed)) })
}
