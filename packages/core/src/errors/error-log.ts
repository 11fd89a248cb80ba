/**
 * The log of a host that gave none. It writes errors to the console and nothing else: an append that
 * is refused and tried again without end has to be seen. Core sees no host, so the console is
 * handed in: `createErrorLog(globalThis)`.
 */
import { isSafelightError } from "./safelight-error.ts"
import { SILENT_LOG, type Log, type LogFields } from "../ports/log.ts"

export interface ConsoleHost {
  readonly console: { error(line: string): void }
}

/** A line has the message and then its fields as JSON. */
export function createErrorLog(host: ConsoleHost): Log {
  return {
    ...SILENT_LOG,
    error: (fields, message) =>
      host.console.error(`safelight: ${message} ${JSON.stringify(fields, toLoggable)}`),
  }
}

function toLoggable(name: string, value: unknown): unknown {
  return name === "error" || value instanceof Error ? toLoggedError(value) : value
}

/**
 * An error as fields. Ours are shown by their message; any other gets its stack, and of its causes
 * only names and codes, since the message of a foreign library may hold an address.
 */
export function toLoggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const causes = toCauses(error.cause)
  return {
    ...toName(error),
    message: error.message,
    ...(isSafelightError(error) ? {} : { stack: error.stack }),
    ...(causes.length === 0 ? {} : { causes }),
  }
}

function toCauses(cause: unknown): readonly LogFields[] {
  return cause instanceof Error ? [toName(cause), ...toCauses(cause.cause)] : []
}

function toName(error: Error): LogFields {
  const { code } = error as Error & { readonly code?: unknown }
  return code === undefined ? { name: error.name } : { name: error.name, code }
}
