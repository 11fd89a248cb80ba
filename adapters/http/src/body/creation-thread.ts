/**
 * One thread for large bodies, seen from outside. It takes one job at a time and lives on after it.
 * A thread that dies takes its job along, for the body's bytes were handed to it: that request is
 * refused as overloaded, which by far the likeliest cause (no memory left) is.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { SafelightError, withSealedParameters, type Log, type Model } from "@safelight/core"
import type { HttpSettings } from "../defaults.ts"
import type { Creation } from "./creation.ts"
import { toRefusal, type CreationAnswer, type CreationJob } from "./creation-job.ts"
import { fromPlaces } from "./string-places.ts"

export interface CreationThread {
  /** False once it has ended, or was told to. */
  readonly isAlive: boolean
  /**
   * Empties the job's buffers; `models` are those of the service. Rejects with a `Refusal`, or
   * `overloaded` where the thread died, or was ended since it took too long.
   */
  read(job: CreationJob, models: readonly Model[]): Promise<Creation>
  /** Resolves when the thread is gone. */
  end(): Promise<void>
}

const BODY = new URL(
  import.meta.url.endsWith(".ts") ? "./creation-thread-body.ts" : "./creation-thread-body.js",
  import.meta.url,
)

export interface CreationThreadOptions {
  readonly settings: Pick<HttpSettings, "bodyThreadMs">
  readonly log: Log
}

export function startCreationThread({ settings, log }: CreationThreadOptions): CreationThread {
  // Of the host's flags only how packages are resolved: others, such as --input-type, are about
  // its own entry and would keep the thread from starting.
  const execArgv = process.execArgv.filter((flag) => flag.startsWith("--conditions="))
  const worker = new Worker(BODY, { name: "safelight-bodies", execArgv })
  let isAlive = true
  let isAsked = false
  let cause: unknown
  let settle: PromiseWithResolvers<CreationAnswer> | undefined
  // It keeps no process alive: who waits for it has a connection open, and that does.
  worker.unref()
  worker.on("message", (answer: CreationAnswer) => settle?.resolve(answer))
  worker.on("error", (error) => {
    cause = error
  })
  worker.once("exit", () => {
    isAlive = false
    settle?.reject(threadEnded(cause))
    if (!isAsked) log.error({ cause: String(cause) }, "a thread for large bodies ended unasked")
  })

  return {
    get isAlive() {
      return isAlive
    },
    async read(job, models) {
      if (!isAlive) throw threadEnded(cause)
      settle = Promise.withResolvers()
      const limit = setTimeout(() => {
        isAlive = false
        cause = `it took longer than ${settings.bodyThreadMs} ms`
        void worker.terminate()
      }, settings.bodyThreadMs)
      worker.postMessage(
        job,
        job.list.map(({ buffer }) => buffer),
      )
      try {
        const answer = await settle.promise
        // To copy it took a while already: whoever waits for this thread comes before what is next.
        await nextTurn()
        return toCreation(answer, models, log)
      } finally {
        clearTimeout(limit)
        settle = undefined
      }
    },
    async end() {
      isAsked = true
      isAlive = false
      await worker.terminate()
    },
  }
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
        const words = "a thread can't check by a model: it is checked where others wait for it"
        log.warn({ model: model?.id, lack }, words)
      }
      if (sealed === undefined || model === undefined) return creation
      const parameters = fromPlaces(creation.parameters, sealed.body)
      return withSealedParameters({ ...creation, parameters }, sealed, model)
    }
  }
}

function threadEnded(cause: unknown): SafelightError {
  const message = "the thread that read a large body ended; nothing was accepted"
  return new SafelightError({ code: "overloaded", message, retryable: true, cause })
}
