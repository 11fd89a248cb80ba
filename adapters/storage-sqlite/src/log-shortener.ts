/**
 * Keeps SQLite's log (the WAL) short while many long reads are made. A commit copies the log into the
 * database once it is long, and the next one begins it anew, but neither happens while a reader uses
 * what the log holds. So where the log has grown past its limit, commits are made before the next long
 * read, each of one page.
 */
import { statSync } from "node:fs"
import type { Log } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"

export interface LogShortenerOptions {
  readonly file: string
  readonly log: Log
  readonly commitOnePage: () => Promise<void>
}

/** One copies, one begins anew; the others are for a short read that was in the way of either. */
const MAX_COMMITS = 4

/** The result never rejects: a log that stays long is no reason not to read. */
export function createLogShortener(options: LogShortenerOptions): () => Promise<void> {
  const { file, log, commitOnePage } = options
  let isWarned = false

  function isLong(): boolean {
    return toBytes(`${file}-wal`) > DEFAULTS.maxLogBytes
  }

  return async function shortenLog() {
    try {
      for (let commits = 0; commits < MAX_COMMITS && isLong(); commits += 1) {
        // oxlint-disable-next-line no-await-in-loop -- whether another is needed shows behind it
        await commitOnePage()
      }
      const mustWarn = isLong()
      const advice = "end the process that reads the database without a pause"
      if (mustWarn && !isWarned) log.warn({ file: `${file}-wal`, advice }, "long write-ahead log")
      isWarned = mustWarn
    } catch (error) {
      log.warn({ error }, "checkpoint failed")
    }
  }
}

function toBytes(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
