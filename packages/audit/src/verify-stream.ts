/**
 * One task's chain: genesis, hashes over the stored text, versions without a gap, moments that
 * never fall, canonical data that fits its schema. Each event is judged behind the *stored* hash
 * of the one before, so one altered event is one finding and not all that follow it. A chain whose
 * last events were removed is still whole: `replay` finds that, by the row.
 */
import {
  GENESIS_HASH,
  hashEvent,
  toCanonicalJson,
  type Digest,
  type ScannedStream,
  type StoredEvent,
} from "@safelight/core"
import { excerpt, excerptsWhereApart } from "./excerpt.ts"
import type { Finding } from "./finding.ts"
import { readEvent } from "./read-event.ts"
import { createLedger, type Ledger } from "./report.ts"

/** The first says that something is wrong; nobody needs more of them. */
const TASK_FINDINGS = 20

/** What is wrong with the events of one task; nothing if its chain is whole. */
export function verifyTask(
  task: { readonly id: string; readonly events: readonly StoredEvent[] },
  digest: Digest,
): readonly Finding[] {
  const ledger = createLedger(TASK_FINDINGS)
  const rows = { row: undefined, artifacts: [], charge: undefined, outcomes: [] }
  verifyStream({ ...task, ...rows }, digest, ledger)
  return ledger.toReport().findings
}

const HASH = /^[0-9a-f]{64}$/

export function verifyStream(stream: ScannedStream, digest: Digest, ledger: Ledger): void {
  let previous = { hash: GENESIS_HASH, version: 0, at: 0 }
  let account = ""
  for (const stored of stream.events) {
    const hash = hashEvent(digest, previous.hash, stored)
    checkPlace(stored, previous, hash, ledger.find)
    checkText(stored, ledger.find)
    const event = readEvent(stored, ledger.find)
    if (event?.type === "submitted") account = event.data.account
    if (event?.type === "succeeded" || event?.type === "failed") {
      const { task, version } = stored
      ledger.charge({ account, task, version, chargeMicros: event.data.chargeMicros })
    }
    previous = {
      hash: stored.hash === hash || HASH.test(stored.hash) ? stored.hash : hash,
      version: stored.version,
      at: stored.at,
    }
  }
}

function checkPlace(
  stored: StoredEvent,
  previous: { readonly version: number; readonly at: number },
  hash: string,
  find: (finding: Finding) => void,
): void {
  const { task, version, at } = stored
  if (version !== previous.version + 1) {
    const expected = previous.version + 1
    find({ kind: "version-gap", task, version, expected, found: version })
  }
  if (stored.hash !== hash) {
    find({ kind: "hash-differs", task, version, expected: hash, found: excerpt(stored.hash) })
  }
  if (!Number.isSafeInteger(at) || at < previous.at) {
    find({ kind: "moment-falls", task, version, expected: previous.at, found: at })
  }
}

function checkText(stored: StoredEvent, find: (finding: Finding) => void): void {
  const { task, version, data } = stored
  const canonical = toCanonicalText(data)
  if (canonical === data) return
  const [expected, found] =
    canonical === undefined
      ? ["canonical JSON", excerpt(data)]
      : excerptsWhereApart(canonical, data)
  find({ kind: "data-not-canonical", task, version, expected, found })
}

/** The canonical text of what `text` says, or undefined where it says nothing. */
function toCanonicalText(text: string): string | undefined {
  try {
    return toCanonicalJson(JSON.parse(text))
  } catch (error) {
    // Not JSON, no canonical text, or nested deeper than the stack: each has no canonical text.
    const kinds = [SyntaxError, TypeError, RangeError]
    if (kinds.some((kind) => error instanceof kind)) return undefined
    throw error
  }
}
