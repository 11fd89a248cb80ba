/**
 * One stream on its way out of a database or into one: proved as `verify` proves it, then folded. A fault
 * is described in words, since neither an export nor an import continues after it.
 */
import {
  fold,
  GENESIS_HASH,
  type Digest,
  type StoredEvent,
  type Task,
  type TaskEvent,
} from "@safelight/core"
import { describeFinding, type Finding } from "./finding.ts"
import { createKeptFindings } from "./kept-findings.ts"
import { verifyEvents } from "./verify-events.ts"

export type CheckedStream =
  | {
      readonly kind: "whole"
      readonly task: Task
      /** Of the newest event. */
      readonly hash: string
      readonly events: readonly TaskEvent[]
    }
  | { readonly kind: "faulty"; readonly words: string }

export function checkStream(
  { id, events: stored }: { readonly id: string; readonly events: readonly StoredEvent[] },
  digest: Digest,
): CheckedStream {
  if (stored.length === 0) return faulty(`task ${id} has rows and no events`)
  const found = createKeptFindings<Finding>(1)
  const events = verifyEvents(stored, digest, { find: found.add, charge() {} })
  const [finding] = found.toReport().findings
  if (finding !== undefined) return faulty(describeFinding(finding))
  try {
    const hash = stored.at(-1)?.hash ?? GENESIS_HASH
    return { kind: "whole", task: fold(id, events), hash, events }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return faulty(`task ${id}: ${error.message}`)
  }
}

function faulty(words: string): CheckedStream {
  return { kind: "faulty", words }
}
