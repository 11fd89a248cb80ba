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
import { createThread, findProgram, type Thread } from "@safelight/host"
import { toOwnBuffers } from "../body/body-pieces.ts"
import { toRefusal, type CreationAnswer, type CreationJob } from "../body/creation-job.ts"
import type { CreationThreads, ServedModels } from "../body/creation-reader.ts"
import type { Creation } from "../body/creation.ts"
import type { HttpSettings } from "../pipeline/defaults.ts"

interface BodyThread {
  readonly served: ServedModels
  readonly thread: Thread<CreationJob, CreationAnswer>
}

export interface ServerThreads extends CreationThreads {
  /** Ends every thread; bodies being read and bodies that wait are refused. Safe to call twice. */
  end(): Promise<void>
}

export interface CreationThreadsOptions {
  readonly settings: Pick<HttpSettings, "bodyThreads" | "bodyThreadMs" | "bodyThreadRestMs">
  readonly log: Log
}

export function createCreationThreads({ settings, log }: CreationThreadsOptions): ServerThreads {
  const { bodyThreads, bodyThreadMs, bodyThreadRestMs } = settings
  const permits = createSemaphore({ permits: bodyThreads, name: "large bodies" })
  const threads: BodyThread[] = []
  const idle: BodyThread[] = []
  let isEnded = false

  function create(served: ServedModels): BodyThread {
    const thread = createThread<CreationJob, CreationAnswer>({
      program: findProgram("creation-thread-body", import.meta.url),
      workerData: served.known,
      restMs: bodyThreadRestMs,
      onEnd({ how, cause, unanswered }) {
        if (isEnded) return closing()
        if (unanswered > 0) log.error({ cause: how }, "body thread ended")
        const message = "the thread that read a large body ended; nothing was accepted"
        return new SafelightError({ code: "overloaded", message, retryable: true, cause })
      },
    })
    const created = { served, thread }
    threads.push(created)
    return created
  }

  /** One that is idle and was started for these models. */
  function take(served: ServedModels): BodyThread {
    const place = idle.findLastIndex((each) => each.served === served)
    const [found] = place === -1 ? [] : idle.splice(place, 1)
    return found ?? create(served)
  }

  async function ask(job: CreationJob, served: ServedModels): Promise<CreationAnswer> {
    if (isEnded) throw closing()
    const taken = take(served)
    try {
      const transfer = job.list.map(({ buffer }) => buffer)
      return await taken.thread.ask(job, { transfer, timeoutMs: bodyThreadMs })
    } finally {
      idle.push(taken)
    }
  }

  return {
    async read(pieces, question, served) {
      const job = () => ({ ...toOwnBuffers(pieces), ...question })
      const answer = await permits.run(() => ask(job(), served))
      // Copying the answer took a while: other requests get their turn first.
      await nextTurn()
      return toCreation(answer, served.models, log)
    },
    async end() {
      isEnded = true
      await Promise.all(threads.map(({ thread }) => thread.end()))
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
