/**
 * Where a creation's body is read: in place, or in a thread where it is large and the host has
 * threads. Only our own Node server brings them; under any other host everything is in place.
 */
import { MODELS, type Model } from "@safelight/core"
import type { HttpSettings } from "../defaults.ts"
import { joinPieces, type BodyPieces } from "./body-pieces.ts"
import { readCreation, type Creation, type CreationQuestion } from "./creation.ts"
import type { CreationThreads } from "./creation-threads.ts"

export interface CreationReaderOptions {
  readonly models: readonly Model[]
  readonly settings: Pick<HttpSettings, "largeBodyBytes">
}

/** The pieces may be empty afterwards. Rejects with a `Refusal`, or `overloaded`. */
export type CreationReader = (
  pieces: BodyPieces,
  question: CreationQuestion,
  threads: CreationThreads | undefined,
) => Promise<Creation>

export function createCreationReader(options: CreationReaderOptions): CreationReader {
  const { models, settings } = options
  // A thread has no models but core's: another host's are checked by its service, in place.
  const hasCoreModels = models === MODELS
  return (pieces, question, threads) => {
    if (threads === undefined || pieces.lengthBytes <= settings.largeBodyBytes) {
      return readCreation(joinPieces(pieces), question)
    }
    return threads.read(pieces, { ...question, hasCoreModels })
  }
}
