/** The thread of long reads, seen from the main thread. It runs `reading-thread-body.ts`. */
import { SafelightError } from "@safelight/core"
import { createThread, findProgram, type ThreadEnd } from "@safelight/host"
import { closed, type RawRows } from "@safelight/store"
import type { LongRead, LongReadAnswer, LongReadSettings } from "./reading-thread-body.ts"
import { tooLarge, toSafelightError } from "./storage-error.ts"

export interface ReadingThread {
  /** Rejects with a `SafelightError`. */
  ask(read: LongRead): Promise<readonly RawRows[]>
  /** What is under way then fails. */
  end(): Promise<void>
}

export function createReadingThread(settings: LongReadSettings): ReadingThread {
  let isEnding = false
  const thread = createThread<LongRead, LongReadAnswer>({
    program: findProgram("reading-thread-body", import.meta.url),
    workerData: settings,
    onEnd: (end) => (isEnding ? closed() : died(end)),
  })
  return {
    async ask(read) {
      if (isEnding) throw closed()
      const answer = await thread.ask(read)
      if ("rows" in answer) return answer.rows
      throw answer.isTooLarge ? tooLarge() : toSafelightError(answer.failure)
    },
    end() {
      isEnding = true
      return thread.end()
    },
  }
}

function died({ how, cause }: ThreadEnd): SafelightError {
  const message = `SQLite's thread for long reads ${how} before it answered; the next long read starts another`
  return new SafelightError({ code: "storage-unavailable", message, retryable: true, cause })
}
