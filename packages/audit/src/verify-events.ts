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
  type ScannedStream,
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

/** The events of one task that could be read; all of them if nothing was found. */
export function verifyEvents(
  events: readonly StoredEvent[],
  digest: Digest,
  ledger: Pick<Ledger, "charge" | "find">,
): readonly TaskEvent[] {
  return verifyStreams([{ events }], digest, ledger)
}

/**
 * The events of some streams that could be read, one stream after the other; all of them if nothing was
 * found. Each step is done for all events before the next step: the code of one step and a page of events
 * fit the processor's caches together, and a page took a seventh less time so than event by event.
 */
export function verifyStreams(
  streams: readonly Pick<ScannedStream, "events">[],
  digest: Digest,
  { charge, find }: Pick<Ledger, "charge" | "find">,
): readonly TaskEvent[] {
  const links = streams.flatMap(({ events }) => toLinks(events, digest))
  const shown = links.map(({ stored }) => parseJson(stored.data))
  const sealed = links.map(({ stored }) => parseSealed(stored))
  const shownTexts = shown.map(toCanonicalText)
  const sealedTexts = sealed.map(toCanonicalText)
  const readings = links.map(({ stored }, at) => readEvent(stored, shown[at], sealed[at]))
  const read: TaskEvent[] = []
  let account = ""
  for (const [at, link] of links.entries()) {
    const { previous, stored } = link
    if (previous === START) account = ""
    checkPlace(link, find)
    checkText(stored, stored.data, shownTexts[at], find)
    if (stored.sealed !== null) checkText(stored, stored.sealed, sealedTexts[at], find)
    const event = readings[at]
    if (event === undefined) continue
    if ("kind" in event) {
      find(event)
      continue
    }
    read.push(event)
    if (event.type === "submitted") account = event.data.account
    if (event.type === "succeeded" || event.type === "failed") {
      const { task, version } = stored
      charge({ account, task, version, chargeMicros: event.data.chargeMicros })
    }
  }
  return read
}

type Place = Pick<StoredEvent, "at" | "hash" | "version">

/** Before a task's first event. */
const START: Place = { at: 0, hash: GENESIS_HASH, version: 0 }

interface Link {
  readonly stored: StoredEvent
  readonly previous: Place
  /** Of the stored text behind the hash before. */
  readonly hash: string
}

const HASH = /^[0-9a-f]{64}$/

function toLinks(events: readonly StoredEvent[], digest: Digest): readonly Link[] {
  let previous = START
  return events.map((stored) => {
    const link = { stored, previous, hash: hashEvent(digest, previous.hash, stored) }
    const { hash } = link
    previous = stored.hash === hash || HASH.test(stored.hash) ? stored : { ...stored, hash }
    return link
  })
}

function checkPlace({ stored, previous, hash }: Link, find: (finding: Finding) => void): void {
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

/** `text` is one of the two texts of an event, and `canonical` the one that it should be; undefined if it has none. */
function checkText(
  { task, version }: StoredEvent,
  text: string,
  canonical: string | undefined,
  find: (finding: Finding) => void,
): void {
  if (canonical === text) return
  const [expected, found] =
    canonical === undefined
      ? ["canonical JSON", excerpt(text)]
      : excerptsWhereApart(canonical, text)
  find({ kind: "data-not-canonical", task, version, expected, found })
}

/** Undefined if `data` has no canonical text. */
function toCanonicalText(data: Json | undefined): string | undefined {
  if (data === undefined) return undefined
  try {
    return toCanonicalJson(data)
  } catch (error) {
    // A RangeError says that it is nested deeper than the stack.
    if (error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}
