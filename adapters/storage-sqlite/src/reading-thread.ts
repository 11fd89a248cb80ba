/**
 * Reads that add many rows up, in a thread of their own, so that one account's bill never holds up
 * the requests of all the others. The thread starts with the first such read, keeps no process
 * alive, and where it dies takes only what it had not answered with it.
 */
import { Worker } from "node:worker_threads"
import { SafelightError } from "@safelight/core"
import { bind, type SqlValue, type SqlValues, type Statement } from "@safelight/store"
import type { Failure } from "./failure.ts"
import { closed, tooLarge, toSafelightError } from "./storage-error.ts"

export interface LongReads {
  /** Every row, with the columns' names. Rejects with a `SafelightError`. */
  all<Row>(statement: Statement, values: SqlValues): Promise<readonly Row[]>
  close(): Promise<void>
}

export interface LongReadSettings {
  readonly file: string
  readonly busyTimeoutMs: number
}

export interface LongRead {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
}

export type LongReadAnswer =
  | { readonly rows: readonly unknown[] }
  | { readonly failure: Failure; readonly isTooLarge: boolean }

interface Waiting {
  readonly resolve: (rows: readonly unknown[]) => void
  readonly reject: (error: SafelightError) => void
}

const BODY = new URL(
  import.meta.url.endsWith(".ts") ? "./reading-thread-body.ts" : "./reading-thread-body.js",
  import.meta.url,
)

export function createLongReads(settings: LongReadSettings): LongReads {
  /** In the order of the questions, which is that of the answers. */
  const waiting: Waiting[] = []
  let worker: Worker | undefined
  let isClosed = false

  function start(): Worker {
    const started = new Worker(BODY, { workerData: settings, execArgv: [] })
    let cause: unknown
    started.on("message", onAnswer)
    started.on("error", (error) => {
      cause = error
    })
    started.on("exit", () => {
      if (worker === started) worker = undefined
      for (const { reject } of waiting.splice(0)) reject(isClosed ? closed() : ended(cause))
    })
    return started
  }

  function onAnswer(answer: LongReadAnswer): void {
    const asked = waiting.shift()
    if (waiting.length === 0) worker?.unref()
    if ("rows" in answer) asked?.resolve(answer.rows)
    else asked?.reject(answer.isTooLarge ? tooLarge() : toSafelightError(answer.failure))
  }

  return {
    all<Row>(statement: Statement, values: SqlValues) {
      if (isClosed) return Promise.reject(closed())
      const read: LongRead = { sql: statement.sql, parameters: bind(statement, values) }
      worker ??= start()
      worker.ref()
      const asked = worker
      return new Promise<readonly Row[]>((resolve, reject) => {
        waiting.push({ resolve: resolve as Waiting["resolve"], reject })
        asked.postMessage(read, [])
      })
    },
    async close() {
      isClosed = true
      await worker?.terminate()
    },
  }
}

function ended(cause: unknown): SafelightError {
  const message = "the thread of long reads ended before it answered"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true, cause })
}
