/** What lies in artifact storage, read where it is to be measured, or removed again. */
import {
  isSafelightError,
  type MediaFacts,
  type MediaInspector,
  type MediaKind,
  type StoredArtifact,
} from "@safelight/core"
import type { Context } from "./context.ts"

export interface InspectOptions {
  /** What it should be. */
  readonly kind: MediaKind
  readonly signal: AbortSignal
}

/** Rejects as `MediaInspector.inspect` does. */
export function inspectStored(
  { artifacts, inspector }: Pick<Context, "artifacts"> & { readonly inspector: MediaInspector },
  { bytes, locator }: StoredArtifact,
  { kind, signal }: InspectOptions,
): Promise<MediaFacts> {
  async function read(start: number, end: number): Promise<Uint8Array> {
    const reader = await artifacts.open({ locator, start, end: end - 1 })
    try {
      const chunk = new Uint8Array(end - start)
      let length = 0
      for (let more = -1; more !== 0 && length < chunk.length; length += more) {
        more = await reader.read(chunk.subarray(length))
      }
      return chunk.subarray(0, length)
    } finally {
      await reader.close()
    }
  }
  return inspector.inspect({ bytes, kinds: [kind], read, signal })
}

/** A bucket that says nothing must not hold a slot, or a stop. */
const DISCARD_MS = 5_000

/** What can't be removed now is an orphan that retention removes. */
export async function discardStored(
  { artifacts, deadlines, log }: Pick<Context, "artifacts" | "deadlines" | "log">,
  task: string,
  locator: string,
): Promise<void> {
  try {
    await deadlines.run(DISCARD_MS, undefined, () => artifacts.remove(locator))
  } catch (error) {
    if (!isSafelightError(error)) throw error
    log.warn({ task, locator, error }, "what was stored and is not kept was left for retention")
  }
}
