/** A log that keeps what it is told, for tests that look at its lines. */
import type { Log, LogFields } from "@safelight/core"

export interface LogEntry {
  readonly level: keyof Log
  readonly fields: LogFields
  readonly message: string
}

export interface LogRecorder {
  readonly entries: readonly LogEntry[]
  readonly log: Log
}

export function createLogRecorder(): LogRecorder {
  const entries: LogEntry[] = []
  const at =
    (level: keyof Log) =>
    (fields: LogFields, message: string): void =>
      void entries.push({ level, fields, message })
  return { entries, log: { info: at("info"), warn: at("warn"), error: at("error") } }
}
