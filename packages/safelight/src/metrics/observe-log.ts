/**
 * Counts warnings and errors by their message, so that an alarm can be raised for what only the log reports: missing
 * outputs, events that a database lost, removal that is held back. Messages are constants, so labels are few.
 */
import type { Log } from "@safelight/core"
import { Counter, type Registry } from "prom-client"

export function createLogMeter(registry: Registry): (log: Log) => Log {
  const entries = new Counter({
    name: "safelight_log_entries_total",
    help: "Warnings and errors that were logged, by their message.",
    labelNames: ["level", "message"],
    registers: [registry],
  })
  return (log) => ({
    info: (fields, message) => log.info(fields, message),
    warn(fields, message) {
      entries.inc({ level: "warn", message })
      log.warn(fields, message)
    },
    error(fields, message) {
      entries.inc({ level: "error", message })
      log.error(fields, message)
    },
  })
}
