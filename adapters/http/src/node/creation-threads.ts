/**
 * The threads of one server for large bodies. They are started when bodies need them, up to `bodyThreads`,
 * and end after a while without work, since only then their memory goes back to the system. Bodies wait in
 * order; the body reader bounds how many bytes can wait. If a thread dies, the body handed to it is lost,
 * and its request is refused as `overloaded`: by far the likeliest cause is that no memory was left.
 *
 *   waiting ─thread free→ reading ─┬→ creation or refusal
 *                                  └→ `overloaded` (the thread died, or took too long and was ended)
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import {
  createSemaphore,
  SafelightError,
  withSealedParameters,
  type Log,
  type Model,
} from "@safelight/core"
import { Piscina } from "piscina"
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

const BODY = new URL(
  import.meta.url.endsWith(".ts") ? "./creation-thread-body.ts" : "./creation-thread-body.js",
  import.meta.url,
)

export function createCreationThreads({ settings, log }: CreationThreadsOptions): ServerThreads {
  const { bodyThreads, bodyThreadMs } = settings
  const threads = createSemaphore({ permits: bodyThreads, name: "large bodies" })
  let isEnded = false
  let pool: Piscina | undefined

  async function run(job: CreationJob): Promise<CreationAnswer> {
    if (isEnded) throw closing()
    pool ??= createPool({ settings, log })
    const late = AbortSignal.timeout(bodyThreadMs)
    const booting = new AbortController()
    pool.on("workerDestroy", abortUnserved)
    function abortUnserved(): void {
      // A thread that died before it was ready had no job yet, and nobody else would take it.
      queueMicrotask(() => {
        if (pool?.threads.length === 0) booting.abort()
      })
    }
    try {
      const signal = AbortSignal.any([late, booting.signal])
      const transferList = job.list.map(({ buffer }) => buffer)
      // Its types take the wrong one of two overloads for a transfer list.
      const options = { name: "answer", transferList, signal } as object
      return (await pool.run(job, options)) as CreationAnswer
    } catch (error) {
      if (isEnded) throw closing()
      const cause = late.aborted ? `it took longer than ${bodyThreadMs} ms` : error
      log.error({ cause: String(cause) }, "body thread ended")
      const message = "the thread that read a large body ended; nothing was accepted"
      throw new SafelightError({ code: "overloaded", message, retryable: true, cause })
    } finally {
      pool.off("workerDestroy", abortUnserved)
    }
  }

  return {
    async read(pieces, question, models) {
      const answer = await threads.run(() => run({ ...toOwnBuffers(pieces), ...question }))
      // Copying the answer took a while: other requests get their turn first.
      await nextTurn()
      return toCreation(answer, models, log)
    },
    async end() {
      isEnded = true
      await pool?.destroy()
    },
  }
}

function createPool({ settings, log }: CreationThreadsOptions): Piscina {
  const pool = new Piscina({
    filename: BODY.href,
    minThreads: 0,
    maxThreads: settings.bodyThreads,
    idleTimeout: settings.bodyThreadRestMs,
    // Otherwise an idle thread blocks, and a module of models that waits for something never gets on.
    atomics: "disabled",
    // Of the host's flags only the one for resolving packages: others, such as --input-type, are
    // about the host's own entry and would keep the thread from starting.
    execArgv: process.execArgv.filter((flag) => flag.startsWith("--conditions=")),
  })
  pool.on("error", (error: unknown) => {
    log.error({ cause: String(error) }, "body thread failed")
  })
  return pool
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
