/**
 * The writing thread as the main thread holds it: starts it, teaches it the statements that are new
 * to it, and says when it ended. What it runs is `writing-thread-body.ts`.
 */
import { Worker } from "node:worker_threads"
import type { Statement } from "@safelight/store"
import type {
  EncodedChange,
  StatementDefinition,
  WriterAnswer,
  WriterRequest,
  WriterSettings,
} from "./protocol.ts"

export interface WritingThread {
  /** Hands a batch over; the thread keeps the process alive until it may rest. */
  readonly commit: (changes: readonly EncodedChange[]) => void
  readonly rest: () => void
  /** Resolves once the thread is gone. */
  readonly end: () => Promise<void>
}

export interface WritingThreadOptions {
  readonly settings: WriterSettings
  readonly numbering: Numbering
  readonly onAnswer: (answer: WriterAnswer) => void
  /** Called once, whether or not the end was asked for. */
  readonly onEnd: (cause: unknown) => void
}

/** Gives each statement its number; outlives the threads that learn them. */
export interface Numbering {
  readonly toNumber: (statement: Statement) => number
  readonly definitions: readonly StatementDefinition[]
}

const BODY = new URL(
  import.meta.url.endsWith(".ts") ? "./writing-thread-body.ts" : "./writing-thread-body.js",
  import.meta.url,
)

export function startWritingThread(options: WritingThreadOptions): WritingThread {
  const { settings, numbering, onAnswer, onEnd } = options
  // The host's own flags are none of the thread's: `--input-type` alone would keep it from starting.
  const worker = new Worker(BODY, { workerData: settings, execArgv: [] })
  let definedCount = 0
  let cause: unknown
  worker.on("message", onAnswer)
  worker.on("error", (error) => {
    cause = error
  })
  worker.on("exit", () => onEnd(cause))

  function send(request: WriterRequest): void {
    worker.postMessage(request, [])
  }

  return {
    commit(changes) {
      worker.ref()
      const definitions = numbering.definitions.slice(definedCount)
      definedCount += definitions.length
      send({ kind: "commit", definitions, changes })
    },
    rest() {
      worker.unref()
    },
    end() {
      return new Promise((resolve) => {
        worker.ref()
        worker.once("exit", () => resolve())
        send({ kind: "close" })
      })
    },
  }
}

export function createNumbering(): Numbering {
  const numbers = new Map<string, number>()
  const definitions: StatementDefinition[] = []
  return {
    definitions,
    toNumber({ sql, parameters }) {
      const known = numbers.get(sql)
      if (known !== undefined) return known
      numbers.set(sql, definitions.length)
      return definitions.push({ sql, parameterCount: parameters.length }) - 1
    },
  }
}
