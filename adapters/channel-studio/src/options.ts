/** The options of the studio, checked once at construction. */
import { availableParallelism } from "node:os"
import {
  createSystemClock,
  SafelightError,
  SILENT_LOG,
  type Clock,
  type Log,
  type MediaInspector,
  type MediaSource,
} from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import type { MediaLimits } from "./reference-media.ts"

export interface StudioOptions {
  /** Opens what requests refer to. */
  readonly media: MediaSource
  /** Measures the videos and sounds among it, in processes of its own. */
  readonly inspector: MediaInspector
  /**
   * Processes that render: by default one fewer than the machine has processors, at least one. One more
   * is for accounts for which none is rendering.
   */
  readonly workers?: number
  /** What each of them may use before it is killed, and its rendering fails. */
  readonly workerMemoryBytes?: number
  /** The channel's name, by which tasks remember it. */
  readonly name?: string
  /** Tasks in hand at once, by default a few more than there are workers. */
  readonly concurrency?: number
  /** Finished renderings kept until they are collected, by number and by size. */
  readonly keptRenderings?: number
  readonly keptBytes?: number
  /** Bounds on reference media, in bytes. */
  readonly limits?: Partial<MediaLimits>
  /** Whether directives in prompts are obeyed. */
  readonly sandbox?: boolean
  readonly clock?: Clock
  readonly log?: Log
}

export interface StudioSettings extends Required<StudioOptions> {
  readonly limits: MediaLimits
}

/** Throws `invalid-configuration`, naming the setting. */
export function checkOptions(options: StudioOptions): StudioSettings {
  const workers = options.workers ?? Math.max(1, availableParallelism() - 1)
  const settings: StudioSettings = {
    media: options.media,
    inspector: options.inspector,
    workers,
    workerMemoryBytes: options.workerMemoryBytes ?? DEFAULTS.workerMemoryBytes,
    name: options.name ?? DEFAULTS.name,
    concurrency: options.concurrency ?? workers + DEFAULTS.beyondWorkers,
    keptRenderings: options.keptRenderings ?? DEFAULTS.keptRenderings,
    keptBytes: options.keptBytes ?? DEFAULTS.keptBytes,
    limits: { ...DEFAULTS.media, ...options.limits },
    sandbox: options.sandbox ?? DEFAULTS.sandbox,
    clock: options.clock ?? createSystemClock(globalThis),
    log: options.log ?? SILENT_LOG,
  }
  const { workerMemoryBytes, concurrency, keptRenderings, keptBytes } = settings
  checkCounts({ workers, workerMemoryBytes, concurrency, keptRenderings, keptBytes })
  checkCounts({ ...settings.limits })
  if (settings.name === "") throw invalid("name must not be empty")
  return settings
}

function checkCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(counts)) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw invalid(`${name} must be a positive integer`)
  }
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message: `studio: ${message}` })
}
