/** What lies in artifact storage: measured there, read, or removed again. */
import {
  isSafelightError,
  SafelightError,
  type ArtifactReader,
  type MediaFacts,
  type MediaInspector,
  type MediaKind,
  type StoredArtifact,
} from "@safelight/core"
import { toDurationMs } from "./to-duration-ms.ts"
import type { Context } from "../host/context.ts"

export interface InspectOptions {
  /** Whose task it is stored for. */
  readonly account: string
  /** What it may be, the wanted first. */
  readonly kinds: readonly MediaKind[]
  readonly signal: AbortSignal
}

/** Of a video or a sound. */
export interface TimedFacts extends Pick<MediaFacts, "kind" | "mimeType"> {
  /** Whole milliseconds, from 1. */
  readonly durationMs: number
}

/**
 * How long a stored video or sound is. Rejects as `MediaInspector.inspect` does, and with `media_unreadable` where
 * that finds no length.
 */
export async function inspectTimed(
  { artifacts, inspector }: Pick<Context, "artifacts"> & { readonly inspector: MediaInspector },
  { bytes, locator }: StoredArtifact,
  { account, kinds, signal }: InspectOptions,
): Promise<TimedFacts> {
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
  const facts = await inspector.inspect({ account, bytes, kinds, read, signal })
  const durationMs = toDurationMs(facts.durationMs)
  if (durationMs !== undefined && durationMs > 0) return { ...facts, durationMs }
  throw new SafelightError({ code: "media_unreadable", message: `${facts.kind} without a length` })
}

/** A bucket that says nothing must not hold a permit, or a stop. */
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
    log.warn({ task, locator, error }, "stray artifact")
  }
}

/** Large enough that a call costs little compared with the copy. */
const CHUNK_BYTES = 256 * 1024

/** All that `open` gives, in order. Rejects as `open` and its reader do. */
export async function* readStored(open: () => Promise<ArtifactReader>): AsyncGenerator<Uint8Array> {
  const reader = await open()
  try {
    for (;;) {
      const chunk = new Uint8Array(CHUNK_BYTES)
      const length = await reader.read(chunk)
      if (length === 0) return
      yield chunk.subarray(0, length)
    }
  } finally {
    await reader.close()
  }
}
