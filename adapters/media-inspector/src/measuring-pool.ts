/**
 * Processes that measure. If one died while it read, its medium is measured once more by a new process, since
 * the system may have killed the first for reasons of its own. Only a medium with which two processes died is
 * unreadable.
 */
import type { MediaFacts } from "@safelight/core"
import { createProcessPool, findProgram } from "@safelight/host"
import { converse, type Medium, type MeasureEnd } from "./converse.ts"
import { aborted, unavailable, unreadable } from "./media-fault.ts"
import type { MediaInspectorSettings } from "./options.ts"

export type MeasuredFacts = Pick<MediaFacts, "kind" | "size"> & { readonly durationMs: number }

export interface PoolMedium extends Medium {
  /** Whose it is. */
  readonly account: string
  readonly signal: AbortSignal
}

export interface MeasuringPool {
  /**
   * Rejects with `media_unreadable`; with `inspector-unavailable`, retryable; with `aborted` if the signal
   * aborts; and as `medium.read` does.
   */
  measure(medium: PoolMedium): Promise<MeasuredFacts>
  /** Ends every process. The caller aborts the measurements first. */
  close(): Promise<void>
}

export function createMeasuringPool(settings: MediaInspectorSettings): MeasuringPool {
  const pool = createProcessPool({
    ...settings,
    program: findProgram("measuring-worker", import.meta.url),
    heapBytes: settings.memoryBytes,
    toAborted: aborted,
    toUnavailable: unavailable,
  })
  return {
    async measure({ account, signal, ...medium }) {
      const { bytes, kinds } = medium
      const ended = await pool.run({
        account,
        signal,
        order: { bytes, kinds },
        follow: (worker) => converse(worker, medium, settings.inspectMs),
        isWorthRepeating: ({ kind }) => kind === "died",
      })
      return toFacts(ended)
    },
    close: () => pool.close(),
  }
}

function toFacts(ended: MeasureEnd): MeasuredFacts {
  if (ended.kind !== "measured") throw unreadable()
  const { durationMs, height, mediaKind: kind, width } = ended
  return kind === "video" ? { kind, durationMs, size: { width, height } } : { kind, durationMs }
}
