/**
 * Processes that measure, started as they are needed up to the number allowed. A medium waits for a free one, with a
 * fair share for each account. A process that died is replaced for the next medium. If it died before or while it read, its medium is measured
 * once more by a new process, since the system may have killed the first for reasons of its own. Only a medium
 * with which two processes died is unreadable.
 */
import { createFairGate, type MediaFacts } from "@safelight/core"
import type { Medium, MeasureEnd } from "./converse.ts"
import { createMeasuringProcess, type MeasuringProcess } from "./measuring-process.ts"
import { aborted, unavailable, unreadable } from "./media-fault.ts"
import type { MediaInspectorSettings } from "./options.ts"

export type MeasuredFacts = Pick<MediaFacts, "kind" | "size"> & { readonly durationMs: number }

export interface PoolMedium extends Medium {
  /** Whose it is. */
  readonly account: string
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
  const gate = createFairGate(settings.processes)
  const processes = new Set<MeasuringProcess>()
  const idle: MeasuringProcess[] = []

  function takeIdle(): MeasuringProcess | undefined {
    const known = idle.pop()
    if (known === undefined || known.isAlive) return known
    processes.delete(known)
    return takeIdle()
  }

  function start(): MeasuringProcess {
    try {
      const created = createMeasuringProcess(settings)
      processes.add(created)
      return created
    } catch (error) {
      throw unavailable(error)
    }
  }

  function giveBack(used: MeasuringProcess): void {
    if (used.isAlive) idle.push(used)
    else processes.delete(used)
  }

  async function measureIn(process: MeasuringProcess, medium: Medium): Promise<MeasureEnd> {
    try {
      return await process.measure(medium)
    } finally {
      giveBack(process)
    }
  }

  async function measureTwice(medium: Medium): Promise<MeasureEnd> {
    const ended = await measureIn(takeIdle() ?? start(), medium)
    if (ended.kind !== "not-started" && ended.kind !== "died") return ended
    return measureIn(start(), medium)
  }

  return {
    async measure(medium) {
      const { account, signal } = medium
      const release = await gate.enter(account, signal)
      try {
        if (signal.aborted) throw aborted()
        return toFacts(await measureTwice(medium))
      } finally {
        release()
      }
    },
    async close() {
      await Promise.all([...processes].map((each) => each.end()))
    },
  }
}

function toFacts(ended: MeasureEnd): MeasuredFacts {
  switch (ended.kind) {
    case "measured": {
      const { durationMs, height, mediaKind: kind, width } = ended
      return kind === "video" ? { kind, durationMs, size: { width, height } } : { kind, durationMs }
    }
    case "not-started":
      throw unavailable()
    case "unreadable":
    case "stopped":
    case "died":
      throw unreadable()
  }
}
