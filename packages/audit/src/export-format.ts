/**
 * The file that carries a log from one database to another: NDJSON, one record a line, each with
 * its `kind`. Its manifest is the first line and the last: what the file is, and how much of what
 * stood between, with the SHA-256 of every byte before the last line. So a file that was cut or
 * altered is told from a whole one without a database.
 *
 *   header  account*  key*  link-key*  stream*  trailer
 *
 * Accounts and streams stand in the order of their ids' bytes, keys and link keys oldest first.
 */
import {
  SafelightError,
  type Account,
  type ArtifactLinkEpoch,
  type IdempotencyUse,
  type Input,
  type LinkKey,
  type StoredEvent,
  type StoredKey,
} from "@safelight/core"

export const FORMAT = "safelight-export"

/** A reader refuses a later one; a release reads a new version before a later one writes it. */
export const VERSION = 1

/** Four times the largest request that a service takes; a text that Node can hold all the same. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024

export interface HeaderRecord {
  readonly kind: "header"
  readonly format: typeof FORMAT
  readonly version: number
  readonly createdAt: number
  /** Whether nothing changes any more where it comes from: only then may unfinished tasks go on. */
  readonly isSealed: boolean
}

export interface AccountRecord {
  readonly kind: "account"
  readonly account: Account
  /** How often all its links were revoked. */
  readonly linkEpoch: number
}

export interface KeyRecord {
  readonly kind: "key"
  readonly key: StoredKey
}

/** Holds the secret that signs private links. */
export interface LinkKeyRecord {
  readonly kind: "link-key"
  readonly linkKey: LinkKey
}

export interface StreamRecord {
  readonly kind: "stream"
  readonly task: string
  /** In order; the task stands above. */
  readonly events: readonly Omit<StoredEvent, "task">[]
  /** None once erased. */
  readonly inputs: readonly Omit<Input, "task">[]
  readonly idempotency: readonly IdempotencyUse[]
  readonly linkEpochs: readonly ArtifactLinkEpoch[]
}

export interface TrailerRecord extends ExportCounts {
  readonly kind: "trailer"
  /** Of every byte before this line; 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** What stands between header and trailer. */
export interface ExportCounts {
  readonly accounts: number
  readonly keys: number
  readonly linkKeys: number
  readonly streams: number
  readonly events: number
  readonly inputs: number
}

export type BodyRecord = AccountRecord | KeyRecord | LinkKeyRecord | StreamRecord
export type ExportRecord = HeaderRecord | BodyRecord | TrailerRecord

export const NO_COUNTS: ExportCounts = {
  accounts: 0,
  keys: 0,
  linkKeys: 0,
  streams: 0,
  events: 0,
  inputs: 0,
}

/** `counts` with one more record. */
export function countRecord(counts: ExportCounts, record: BodyRecord): ExportCounts {
  switch (record.kind) {
    case "account":
      return { ...counts, accounts: counts.accounts + 1 }
    case "key":
      return { ...counts, keys: counts.keys + 1 }
    case "link-key":
      return { ...counts, linkKeys: counts.linkKeys + 1 }
    case "stream":
      return {
        ...counts,
        streams: counts.streams + 1,
        events: counts.events + record.events.length,
        inputs: counts.inputs + record.inputs.length,
      }
  }
}

/** What an export that can't be taken in is refused with. */
export function refused(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "export-refused", message, cause })
}
