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
  const latest = now + TOLERANCE_MS
  const future = toMoments(record).find(([, at]) => at > latest)
  if (future === undefined) return
  const [name] = future
  throw refused(`${name} lies more than a minute in the future of this machine's clock`)
}

type Moment = readonly [name: string, at: number]

function toMoments(record: ExportRecord): readonly Moment[] {
  switch (record.kind) {
    case "header":
      return [["the moment of the export", record.createdAt]]
    case "account": {
      const { id, createdAt, suspendedAt } = record.account
      return [[`a moment of account "${id}"`, Math.max(createdAt, suspendedAt)]]
    }
    case "key": {
      const { id, createdAt, revokedAt } = record.key
      return [[`a moment of API key ${id}`, Math.max(createdAt, revokedAt)]]
    }
    case "link-key": {
      const { id, createdAt } = record.linkKey
      return [[`the moment of link key ${id}`, createdAt]]
    }
    case "stream": {
      const { task, events, idempotency } = record
      return [
        ...events.map(({ at, version }): Moment => [`event ${version} of task ${task}`, at]),
        ...idempotency.map(({ usedAt }): Moment => [`an idempotency key of task ${task}`, usedAt]),
      ]
    }
    case "trailer":
      return []
  }
}
