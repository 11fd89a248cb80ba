/**
 * The thread of long reads, seen from the main thread. It starts with the first question and keeps no
 * process alive between two. If it dies, the pending question fails, and the next one starts another
 * thread. It runs `reading-thread-body.ts`.
 */
import { Worker } from "node:worker_threads"
import { SafelightError } from "@safelight/core"
import { closed, type RawRows } from "@safelight/store"
import type { LongRead, LongReadAnswer, LongReadSettings } from "./reading-thread-body.ts"
import { tooLarge, toSafelightError } from "./storage-error.ts"

export interface ReadingThread {
  /** One question at a time: rejects with a `SafelightError`. */
  ask(read: LongRead): Promise<readonly RawRows[]>
  /** What is under way then fails. */
  end(): Promise<void>
}

const BODY = new URL(
  import.meta.url.endsWith(".ts") ? "./reading-thread-body.ts" : "./reading-thread-body.js",
  import.meta.url,
)

export function createReadingThread(settings: LongReadSettings): ReadingThread {
  let asked: PromiseWithResolvers<readonly RawRows[]> | undefined
  let worker: Worker | undefined
  let isEnding = false

  function start(): Worker {
    const started = new Worker(BODY, { workerData: settings, execArgv: [] })
    let cause: unknown
    started.on("message", onAnswer)
    started.on("error", (error) => {
      cause = error
    })
    started.on("exit", () => {
      worker = undefined
      asked?.reject(isEnding ? closed() : ended(cause))
    })
    return started
  }

  function onAnswer(answer: LongReadAnswer): void {
    worker?.unref()
    if ("rows" in answer) asked?.resolve(answer.rows)
    else asked?.reject(answer.isTooLarge ? tooLarge() : toSafelightError(answer.failure))
  }

  return {
    ask(read) {
      if (isEnding) return Promise.reject(closed())
      worker ??= start()
      worker.ref()
      asked = Promise.withResolvers()
      worker.postMessage(read, [])
      return asked.promise
    },
    async end() {
      isEnding = true
      await worker?.terminate()
    },
  }
}

function ended(cause: unknown): SafelightError {
  const message = "the thread of long reads ended before it answered"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true, cause })
}
