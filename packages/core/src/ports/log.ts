/**
 * Structured logging. A field never holds a prompt, a URL, a key or an access token. Libraries stay
 * silent unless a host hands them a log. No method throws.
 */
export interface Log {
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export type LogFields = Readonly<Record<string, unknown>>

export const SILENT_LOG: Log = { info() {}, warn() {}, error() {} }
