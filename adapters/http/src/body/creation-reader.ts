/**
 * Decides where a creation's body is read: on the event loop, or in a thread if work on it could stop the
 * event loop for others. A large body could, and so could a model of the host's, on a text of any size: by a
 * careless pattern, or by what a schema of another library than valibot does besides. A thread can be ended. Only our own Node server has threads.
 */
import { MODELS, type Model } from "@safelight/core"
import type { HttpSettings } from "../pipeline/defaults.ts"
import { describeParameters, hasPattern } from "../openapi/describe-parameters.ts"
import { joinPieces, type BodyPieces } from "./body-pieces.ts"
import { readCreation, type Creation, type CreationQuestion } from "./creation.ts"
import type { KnownModels, ThreadModels } from "./creation-job.ts"

/** The threads of a server. */
export interface CreationThreads {
  /**
   * Reads a creation; the pieces may be empty afterwards. Rejects with a `Refusal`, or with `overloaded`
   * if the thread died, or was ended because it took too long.
   */
  read(pieces: BodyPieces, question: CreationQuestion, served: ServedModels): Promise<Creation>
}

/** Always the same object of one handler: a thread is started with what it is to know. */
export interface ServedModels {
  readonly models: readonly Model[]
  readonly known: KnownModels
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
  const { models, settings, threadModels } = options
  const coreModels = models.filter((model) => MODELS.includes(model)).map(({ id }) => id)
  const own = threadModels === undefined ? [] : models.filter((model) => !MODELS.includes(model))
  const described = own.map((model) => [model.id, describeParameters(model)] as const)
  const endless = new Set(own.filter(mayBeEndless).map(({ id }) => id))
  const known: KnownModels = {
    coreModels,
    ...(threadModels && { threadModels }),
    descriptions: new Map(described.map(([id, schema]) => [id, JSON.stringify(schema)])),
  }

  const served: ServedModels = { models, known }

  return async (pieces, question, threads) => {
    const isLarge = pieces.lengthBytes > settings.largeBodyBytes
    if (threads === undefined || !isLarge) {
      const creation = await readCreation(joinPieces(pieces), question)
      if (threads === undefined || !endless.has(creation.model)) return creation
    }
    return threads.read(pieces, question, served)
  }
}

/** The patterns of a model that is data were counted: they end soon. A schema of another library may run anything. */
function mayBeEndless(model: Model): boolean {
  if (model.definition !== undefined) return false
  return model.described !== undefined || hasPattern(describeParameters(model))
}
