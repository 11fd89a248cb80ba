/**
 * Structured logging: a short noun as the message, everything else in fields. A field never holds a
 * prompt, a URL, a key or an access token. Where a host gives no log, the engine, the service and
 * the handlers and servers of HTTP write errors to the console (`createErrorLog`); other adapters write
 * nothing.
 */
export interface Log {
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export type LogFields = Readonly<Record<string, unknown>>

export const SILENT_LOG: Log = { info() {}, warn() {}, error() {} }
