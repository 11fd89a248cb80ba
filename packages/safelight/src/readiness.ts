/**
 * Whether the service can be used, asked by anybody at any rate and without a key: each piece is
 * asked once at a time, callers share its answer, and one that takes too long is a no. What a reader
 * would get wrong: a check of a bucket writes to it, so what it said is believed for longer.
 */
import type { ArtifactStorage, Clock, Storage } from "@safelight/core"
import { createKeptAnswer } from "./kept-answer.ts"

/** Of the database, and of every no: who is back shall be seen soon. */
const BELIEVED_MS = 1_000
/** It is a PUT and requests that look and remove, and buckets bill them. */
const ARTIFACTS_BELIEVED_MS = 30_000
const PATIENCE_MS = 3_000

export interface ReadinessOptions {
  readonly storage: Pick<Storage, "check">
  readonly artifacts: Pick<ArtifactStorage, "check">
  readonly clock: Pick<Clock, "monotonicNow" | "wait">
}

/** Makes a check that rejects with a piece's own error, or `overloaded` on a slow one. */
export function createReadiness({
  storage,
  artifacts,
  clock,
}: ReadinessOptions): () => Promise<void> {
  const common = { clock, patienceMs: PATIENCE_MS }
  const database = createKeptAnswer({
    ...common,
    name: "the database",
    question: () => storage.check(),
    believedMs: BELIEVED_MS,
  })
  const files = createKeptAnswer({
    ...common,
    name: "artifact storage",
    question: () => artifacts.check(),
    believedMs: ARTIFACTS_BELIEVED_MS,
    failureBelievedMs: BELIEVED_MS,
  })
  return async () => {
    await Promise.all([database.ask(), files.ask()])
  }
}
