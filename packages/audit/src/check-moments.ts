/**
 * No moment of an export may lie in the future: a link key of the future would stay the newest and sign
 * for good, and a task with an event of tomorrow could not continue today. The ends of keys and tasks
 * are moments to come, and not judged.
 */
import { refused, type ExportRecord } from "./export-format.ts"

/** The clocks of two machines that are synchronised differ by far less. */
const TOLERANCE_MS = 60_000

/** Throws `export-refused`, naming what carries the moment. */
export function checkMoments(record: ExportRecord, now: number): void {
  const name = findLater(record, now + TOLERANCE_MS)
  if (name === undefined) return
  throw refused(`${name} lies more than a minute in the future of this machine's clock`)
}

/** The name of a moment after `latest`. */
function findLater(record: ExportRecord, latest: number): string | undefined {
  const isLater = (...moments: readonly number[]): boolean => moments.some((at) => at > latest)
  switch (record.kind) {
    case "header":
      return isLater(record.createdAt) ? "the moment of the export" : undefined
    case "account": {
      const { id, createdAt, suspendedAt } = record.account
      return isLater(createdAt, suspendedAt) ? `a moment of account "${id}"` : undefined
    }
    case "key": {
      const { id, createdAt, revokedAt } = record.key
      return isLater(createdAt, revokedAt) ? `a moment of API key ${id}` : undefined
    }
    case "link-key": {
      const { id, createdAt } = record.linkKey
      return isLater(createdAt) ? `the moment of link key ${id}` : undefined
    }
    case "stream": {
      const { task, events, idempotency } = record
      const event = events.find(({ at }) => at > latest)
      if (event !== undefined) return `event ${event.version} of task ${task}`
      const use = idempotency.find(({ usedAt }) => usedAt > latest)
      return use && `an idempotency key of task ${task}`
    }
    case "checkpoint":
    case "definition":
    case "trailer":
      return undefined
  }
}
