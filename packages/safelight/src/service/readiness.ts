/**
 * Whether the service can be used. Anybody may ask, at any rate and without a key: each piece is asked once at a
 * time, callers share its answer, and a piece that takes too long is not ready. A check of a bucket writes to it,
 * so its answer is believed for longer.
 */
import type { ArtifactStorage, Clock, Storage } from "@safelight/core"
import { createKeptAnswer } from "@safelight/operator"

/** For the database, and for every failure, so that a recovery is seen soon. */
const FRESH_MS = 1_000
/** A check of a bucket is several requests, a PUT among them, and buckets bill them. */
const ARTIFACTS_FRESH_MS = 30_000
const PATIENCE_MS = 3_000

export interface ReadinessOptions {
  readonly storage: Pick<Storage, "check">
  readonly artifacts: Pick<ArtifactStorage, "check">
  readonly clock: Pick<Clock, "monotonicNow" | "wait">
}

/** Makes a check that rejects with the error of a piece, or with `overloaded` if one takes too long. */
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
    freshMs: FRESH_MS,
  })
  const files = createKeptAnswer({
    ...common,
    name: "artifact storage",
    question: () => artifacts.check(),
    freshMs: ARTIFACTS_FRESH_MS,
    failureFreshMs: FRESH_MS,
  })
  return async () => {
    await Promise.all([database.ask(), files.ask()])
  }
}
