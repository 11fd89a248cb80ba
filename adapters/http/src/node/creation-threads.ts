/**
 * The threads of one server for large bodies. They are started when bodies need them, up to `bodyThreads`,
 * and end after a while without work, since only then their memory goes back to the system. Bodies wait in
 * order; the body reader bounds how many bytes can wait. If a thread dies, the body handed to it is lost,
 * and its request is refused as `overloaded`: by far the likeliest cause is that no memory was left.
 *
 *   waiting ─thread free→ reading ─┬→ creation or refusal
 *                                  └→ `overloaded` (the thread died, or took too long and was ended)
 */
import { once } from "node:events"
import { setImmediate as nextTurn } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import {
  createSemaphore,
  SafelightError,
  withSealedParameters,
  type Log,
  type Model,
} from "@safelight/core"
import { toOwnBuffers } from "../body/body-pieces.ts"
import { toRefusal, type CreationAnswer, type CreationJob } from "../body/creation-job.ts"
import type { CreationThreads } from "../body/creation-reader.ts"
import type { Creation } from "../body/creation.ts"
import type { HttpSettings } from "../defaults.ts"

export interface ServerThreads extends CreationThreads {
  /** Ends every thread; bodies being read and bodies that wait are refused. Safe to call twice. */
  end(): Promise<void>
}

export interface CreationThreadsOptions {
  readonly settings: Pick<HttpSettings, "bodyThreads" | "bodyThreadMs" | "bodyThreadRestMs">
  readonly log: Log
}

interface Thread {
  readonly worker: Worker
  /** Aborted once it is gone. */
  readonly gone: AbortSignal
  /** Ends it after too long without work. */
  resting?: NodeJS.Timeout
}

const BODY = new URL(
  import.meta.url.endsWith(".ts") ? "./creation-thread-body.ts" : "./creation-thread-body.js",
  import.meta.url,
)

export function createCreationThreads({ settings, log }: CreationThreadsOptions): ServerThreads {
  const { bodyThreads, bodyThreadMs, bodyThreadRestMs } = settings
  const permits = createSemaphore({ permits: bodyThreads, name: "large bodies" })
  const threads = new Set<Thread>()
  const idle: Thread[] = []
  let isEnded = false

  function start(): Thread {
    const gone = new AbortController()
    const thread: Thread = { worker: startWorker(), gone: gone.signal }
    threads.add(thread)
    // The request that it worked for reports how it died; without a listener an error would end the process.
    thread.worker.on("error", () => {})
    thread.worker.once("exit", () => {
      clearTimeout(thread.resting)
      threads.delete(thread)
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
      gone.abort(new Error("the thread was ended"))
    })
    return thread
  }

  function rest(thread: Thread): void {
    idle.push(thread)
    thread.resting = setTimeout(() => void thread.worker.terminate(), bodyThreadRestMs).unref()
  }

  async function ask(job: CreationJob): Promise<CreationAnswer> {
    if (isEnded) throw closing()
    const thread = idle.pop() ?? start()
    const { gone, worker } = thread
    clearTimeout(thread.resting)
    const late = AbortSignal.timeout(bodyThreadMs)
    try {
      worker.postMessage(
        job,
        job.list.map(({ buffer }) => buffer),
      )
      const signal = AbortSignal.any([late, gone])
      const [answer] = (await once(worker, "message", { signal })) as [CreationAnswer]
      rest(thread)
      return answer
    } catch (error) {
      await worker.terminate()
      if (isEnded) throw closing()
      const cause = late.aborted ? `it took longer than ${bodyThreadMs} ms` : toCause(error)
      log.error({ cause: String(cause) }, "body thread ended")
      const message = "the thread that read a large body ended; nothing was accepted"
      throw new SafelightError({ code: "overloaded", message, retryable: true, cause })
    }
  }

  return {
    async read(pieces, question, models) {
      const answer = await permits.run(() => ask({ ...toOwnBuffers(pieces), ...question }))
      // Copying the answer took a while: other requests get their turn first.
      await nextTurn()
      return toCreation(answer, models, log)
    },
    async end() {
      isEnded = true
      await Promise.all(Array.from(threads, ({ worker }) => worker.terminate()))
    },
  }
}

function startWorker(): Worker {
  // Of the host's flags only the one for resolving packages: others, such as --input-type, are
  // about the host's own entry and would keep the thread from starting.
  const execArgv = process.execArgv.filter((flag) => flag.startsWith("--conditions="))
  const worker = new Worker(BODY, { execArgv })
  // The connection of the request that waits for it keeps the process alive.
  worker.unref()
  return worker
}

/** What `once` rejects with names the signal; the reason of that says more. */
function toCause(error: unknown): unknown {
  return error instanceof Error && error.name === "AbortError" ? error.cause : error
}

function toCreation(answer: CreationAnswer, models: readonly Model[], log: Log): Creation {
  switch (answer.kind) {
    case "refused":
      throw toRefusal(answer.refusal)
    case "failed":
      throw answer.error
    case "creation": {
      const { kind: _kind, lack, sealed, ...creation } = answer
      const model = models.find(({ id }) => id === creation.model)
      if (lack !== undefined) {
        log.warn({ model: model?.id, reason: lack }, "model checked outside its thread")
      }
      if (sealed === undefined || model === undefined) return creation
      return withSealedParameters(creation, sealed, model)
    }
  }
}

function closing(): SafelightError {
  const message = "the server is closing"
  return new SafelightError({ code: "overloaded", message, retryable: true })
}
