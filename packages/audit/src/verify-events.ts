/**
 * One task's chain: genesis, hashes over the stored text, versions without a gap, moments that
 * never fall, canonical data that fits its schema. Each event is judged behind the *stored* hash
 * of the one before, so one altered event is one finding and not all that follow it. A chain whose
 * last events were removed is still whole: `replay` finds that, by the row.
 */
import {
  GENESIS_HASH,
  hashEvent,
  parseJson,
  parseSealed,
  toCanonicalJson,
  type Digest,
  type Json,
  type StoredEvent,
  type TaskEvent,
} from "@safelight/core"
import { excerpt, excerptsWhereApart } from "./excerpt.ts"
import type { Finding } from "./finding.ts"
import { createKeptFindings } from "./kept-findings.ts"
import { readEvent } from "./read-event.ts"
import type { Ledger } from "./report.ts"

/** The first says that something is wrong; nobody needs more of them. */
const TASK_FINDINGS = 20

/** What is wrong with the events of one task; nothing if its chain is whole. */
export function verifyTask(events: readonly StoredEvent[], digest: Digest): readonly Finding[] {
  const findings = createKeptFindings<Finding>(TASK_FINDINGS)
  verifyEvents(events, digest, { find: findings.add, charge() {} })
  return findings.toReport().findings
}

const HASH = /^[0-9a-f]{64}$/

/** The events of one task that could be read; all of them if nothing was found. */
export function verifyEvents(
  events: readonly StoredEvent[],
  digest: Digest,
  { charge, find }: Pick<Ledger, "charge" | "find">,
): readonly TaskEvent[] {
  const read: TaskEvent[] = []
  let previous = { hash: GENESIS_HASH, version: 0, at: 0 }
  let account = ""
  for (const stored of events) {
    const hash = hashEvent(digest, previous.hash, stored)
    const data = parseJson(stored.data)
    const sealed = parseSealed(stored)
    checkPlace(stored, previous, hash, find)
    checkText(stored, stored.data, data, find)
    if (stored.sealed !== null) checkText(stored, stored.sealed, sealed, find)
    const event = readEvent(stored, data, sealed, find)
    if (event !== undefined) read.push(event)
    if (event?.type === "submitted") account = event.data.account
    if (event?.type === "succeeded" || event?.type === "failed") {
      const { task, version } = stored
      charge({ account, task, version, chargeMicros: event.data.chargeMicros })
    }
    previous = {
      hash: stored.hash === hash || HASH.test(stored.hash) ? stored.hash : hash,
      version: stored.version,
      at: stored.at,
    }
  }
  return read
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

/** `data` is what `text` says, one of the two texts of an event. */
function checkText(
  { task, version }: StoredEvent,
  text: string,
  data: Json | undefined,
  find: (finding: Finding) => void,
): void {
  const canonical = toCanonicalText(data)
  if (canonical === text) return
  const [expected, found] =
    canonical === undefined
      ? ["canonical JSON", excerpt(text)]
      : excerptsWhereApart(canonical, text)
  find({ kind: "data-not-canonical", task, version, expected, found })
}

/** Undefined if `data` has no canonical text. */
function toCanonicalText(data: Json | undefined): string | undefined {
  try {
    return toCanonicalJson(data)
  } catch (error) {
    // A RangeError says that it is nested deeper than the stack.
    if (error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}
