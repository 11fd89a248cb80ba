/**
 * Decides where a creation's body is read: on the event loop, or in a thread if it is large and the host
 * has threads. Only our own Node server has them. A creation for a model of the host's that has a pattern
 * is checked in a thread whatever its size: somebody may find a text on which a careless pattern never
 * ends, and a thread can be ended.
 */
import { MODELS, type Model } from "@safelight/core"
import type { HttpSettings } from "../defaults.ts"
import { describeParameters, hasPattern } from "../openapi/describe-parameters.ts"
import { joinPieces, type BodyPieces } from "./body-pieces.ts"
import { readCreation, type Creation, type CreationQuestion } from "./creation.ts"
import type { ThreadModels, ThreadQuestion } from "./creation-job.ts"

/** The threads in which large bodies are read. */
export interface CreationThreads {
  /**
   * Reads a creation; the pieces may be empty afterwards. Rejects with a `Refusal`, or with `overloaded`
   * if the thread died, or was ended because it took too long.
   */
  read(pieces: BodyPieces, question: ThreadQuestion, models: readonly Model[]): Promise<Creation>
}

export interface CreationReaderOptions {
  readonly models: readonly Model[]
  /** Without it a thread knows core's models alone. */
  readonly threadModels?: ThreadModels | undefined
  readonly settings: Pick<HttpSettings, "largeBodyBytes">
}

/** The pieces may be empty afterwards. Rejects with a `Refusal`, or `overloaded`. */
export type CreationReader = (
  pieces: BodyPieces,
  question: CreationQuestion,
  threads: CreationThreads | undefined,
) => Promise<Creation>

/** Throws `invalid-configuration` if a model that threads are to know can't be described. */
export function createCreationReader(options: CreationReaderOptions): CreationReader {
  const { models, settings } = options
  const asked = toAsked(options)
  const patterned = new Set(options.threadModels === undefined ? [] : listPatterned(models))
  return async (pieces, question, threads) => {
    if (threads !== undefined && pieces.lengthBytes > settings.largeBodyBytes) {
      return threads.read(pieces, { ...question, ...asked }, models)
    }
    const creation = await readCreation(joinPieces(pieces), question)
    if (threads === undefined || !patterned.has(creation.model)) return creation
    return threads.read(pieces, { ...question, ...asked }, models)
  }
}

function toAsked({
  models,
  threadModels,
}: CreationReaderOptions): Omit<ThreadQuestion, keyof CreationQuestion> {
  const coreModels = models.filter((model) => MODELS.includes(model)).map(({ id }) => id)
  const own = listOwn(models)
  if (threadModels === undefined || own.length === 0) return { coreModels }
  const descriptions = own.map((model) => [model.id, JSON.stringify(describeParameters(model))])
  return {
    coreModels,
    ownModels: { ...threadModels, descriptions: Object.fromEntries(descriptions) },
  }
}

function listPatterned(models: readonly Model[]): readonly string[] {
  return listOwn(models)
    .filter((model) => hasPattern(describeParameters(model)))
    .map(({ id }) => id)
}

function listOwn(models: readonly Model[]): readonly Model[] {
  return models.filter((model) => !MODELS.includes(model))
}
