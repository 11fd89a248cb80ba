/**
 * The threads for large bodies of one server: as many as allowed and only as many as are needed,
 * the first at the first large body. Bodies wait in order; how many bytes can wait is bounded where
 * bodies are received. When nothing was read for a while the threads end, and with them the memory
 * that they took.
 *
 *   waiting ─thread free→ reading ─┬→ creation or refusal
 *                                  └→ `overloaded` (the thread died)
 */
import { SafelightError, type Log, type Model } from "@safelight/core"
import type { HttpSettings } from "../defaults.ts"
import { toOwnBuffers, type BodyPieces } from "./body-pieces.ts"
import type { Creation } from "./creation.ts"
import { startCreationThread, type CreationThread } from "./creation-thread.ts"
import type { ThreadQuestion } from "./creation-job.ts"

export interface CreationThreads {
  /** As `CreationThread.read`, once a thread is free; the pieces may be empty afterwards. */
  read(pieces: BodyPieces, question: ThreadQuestion, models: readonly Model[]): Promise<Creation>
  /** Ends every thread, and refuses what is still read or waiting. Safe to call twice. */
  end(): Promise<void>
}

export interface CreationThreadsOptions {
  readonly settings: Pick<HttpSettings, "bodyThreads" | "bodyThreadMs" | "bodyThreadRestMs">
  readonly log: Log
}

export function createCreationThreads({ settings, log }: CreationThreadsOptions): CreationThreads {
  const threads = new Set<CreationThread>()
  const idle: CreationThread[] = []
  const waiting: (() => void)[] = []
  let busy = 0
  let rest: NodeJS.Timeout | undefined
  let isEnded = false

  async function enter(): Promise<void> {
    clearTimeout(rest)
    if (busy >= settings.bodyThreads) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy += 1
  }

  /** The place goes to who waits longest; only without one it is free. */
  function leave(): void {
    const next = waiting.shift()
    if (next !== undefined) return next()
    busy -= 1
    if (busy === 0) rest = setTimeout(() => void endThreads(), settings.bodyThreadRestMs).unref()
  }

  function takeThread(): CreationThread {
    const known = idle.pop()
    if (known?.isAlive === true) return known
    if (known !== undefined) threads.delete(known)
    const thread = startCreationThread({ settings, log })
    threads.add(thread)
    return thread
  }

  function giveBack(thread: CreationThread): void {
    if (thread.isAlive) idle.push(thread)
    else threads.delete(thread)
  }

  async function endThreads(): Promise<void> {
    const ended = [...threads]
    threads.clear()
    idle.length = 0
    await Promise.all(ended.map((thread) => thread.end()))
  }

  return {
    async read(pieces, question, models) {
      await enter()
      try {
        if (isEnded) throw closing()
        const thread = takeThread()
        try {
          return await thread.read({ ...toOwnBuffers(pieces), ...question }, models)
        } finally {
          giveBack(thread)
        }
      } finally {
        leave()
      }
    },
    async end() {
      isEnded = true
      clearTimeout(rest)
      await endThreads()
    },
  }
}

function closing(): SafelightError {
  const message = "the server is closing"
  return new SafelightError({ code: "overloaded", message, retryable: true })
}
