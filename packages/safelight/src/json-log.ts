/**
 * The service's log: JSON lines on standard error. Pieces never log a prompt, a URL, a key or a
 * token; what is left out here (those fields, the words of foreign errors) is a second net, not the
 * rule. Writing never blocks: beyond what is kept of lines that nobody reads, new ones are dropped.
 */
import { toLoggedError, type Log, type LogFields } from "@safelight/core"
import { pino, type Logger } from "pino"
import type { LogLevel } from "./configuration/configuration.ts"
import { hideFields } from "./hide-fields.ts"

const UNREAD_BYTES = 4 * 1024 * 1024

export interface JsonLog extends Log {
  /** Resolves when all lines are out, or after `withinMs` when nobody reads them. */
  flush(withinMs: number): Promise<void>
}

export function createJsonLog({ level }: { readonly level: LogLevel }): JsonLog {
  const destination = pino.destination({
    fd: 2,
    sync: false,
    minLength: 1,
    maxLength: UNREAD_BYTES,
  })
  const logger = pino(
    {
      level,
      timestamp: createTimestamp(),
      serializers: { error: toLoggedError },
    },
    destination,
  )
  return {
    ...toLog(logger),
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

/** Lines of the same millisecond share their text: under load it was half of a line's cost. */
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

function toLog(logger: Logger): Log {
  return {
    info: (fields: LogFields, message) => logger.info(hideFields(fields), message),
    warn: (fields: LogFields, message) => logger.warn(hideFields(fields), message),
    error: (fields: LogFields, message) => logger.error(hideFields(fields), message),
  }
}
