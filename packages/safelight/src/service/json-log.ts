/**
 * The service's log: JSON lines on standard error. No piece logs a prompt, a URL, a key or a token; what is left
 * out here (such fields, the messages of foreign errors) is only a second safeguard. Writing never blocks: lines
 * that nobody reads are kept up to a bound, and dropped above it.
 */
import { NO_TRACER, toLoggedError, type Log, type LogFields, type Tracer } from "@safelight/core"
import { pino, type Logger } from "pino"
import type { LogLevel } from "../configuration/configuration.ts"
import { hideFields } from "./hide-fields.ts"

const UNREAD_BYTES = 4 * 1024 * 1024

export interface JsonLog extends Log {
  /** Resolves once all lines are written, or after `withinMs`. */
  flush(withinMs: number): Promise<void>
}

export interface JsonLogOptions {
  readonly level: LogLevel
  /** In place of standard error; each call is a line. */
  readonly printLog?: (text: string) => void
  /** Lines that are written in a span carry its ids. */
  readonly tracer?: Pick<Tracer, "active">
}

export function createJsonLog({ level, printLog, tracer = NO_TRACER }: JsonLogOptions): JsonLog {
  const destination =
    printLog === undefined
      ? pino.destination({ fd: 2, sync: false, minLength: 1, maxLength: UNREAD_BYTES })
      : { write: printLog }
  const logger = pino(
    {
      level,
      timestamp: createTimestamp(),
      serializers: { error: toLoggedError },
    },
    destination,
  )
  return {
    ...toLog(logger, tracer),
    flush: (withinMs) =>
      new Promise((resolve) => {
        const late = setTimeout(resolve, withinMs)
        logger.flush(() => {
          clearTimeout(late)
          resolve()
        })
      }),
  }
}

/** Lines of the same millisecond share the timestamp's text, which was half of a line's cost under load. */
function createTimestamp(): () => string {
  let at = 0
  let text = ""
  return () => {
    const now = Date.now()
    if (now !== at) {
      at = now
      text = `,"time":"${new Date(now).toISOString()}"`
    }
    return text
  }
}

function toLog(logger: Logger, tracer: Pick<Tracer, "active">): Log {
  /** The names are those by which backends find the trace of a line. */
  function toWritten(fields: LogFields): LogFields {
    const span = tracer.active()
    const shown = hideFields(fields)
    return span === undefined ? shown : { ...shown, trace_id: span.traceId, span_id: span.spanId }
  }

  return {
    info: (fields: LogFields, message) => logger.info(toWritten(fields), message),
    warn: (fields: LogFields, message) => logger.warn(toWritten(fields), message),
    error: (fields: LogFields, message) => logger.error(toWritten(fields), message),
  }
}
