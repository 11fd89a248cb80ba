/** The options of the studio, checked once at construction. */
import { availableParallelism } from "node:os"
import {
  createSystemClock,
  POSITIVE,
  SafelightError,
  SILENT_LOG,
  takeIntegers,
  withDefaults,
  type Clock,
  type Log,
  type MediaInspector,
  type MediaSource,
} from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import type { MediaLimits } from "./reference-media.ts"

export interface StudioOptions {
  /** Opens what requests refer to; without it the studio takes those that refer to nothing. */
  readonly media?: MediaSource
  /** Measures the videos and sounds among it, in processes of its own; without it none are taken. */
  readonly inspector?: MediaInspector
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

export interface StudioSettings extends Required<Omit<StudioOptions, "inspector" | "media">> {
  readonly limits: MediaLimits
  readonly media: MediaSource | undefined
  readonly inspector: MediaInspector | undefined
}

const PREFIX = "studio: "

const BOUNDS = {
  workers: POSITIVE,
  workerMemoryBytes: POSITIVE,
  concurrency: POSITIVE,
  keptRenderings: POSITIVE,
  keptBytes: POSITIVE,
}

/** Throws `invalid-configuration`, naming the setting. */
export function checkOptions(options: StudioOptions): StudioSettings {
  const workers = options.workers ?? Math.max(1, availableParallelism() - 1)
  const defaults = { ...DEFAULTS, workers, concurrency: workers + DEFAULTS.beyondWorkers }
  const { limits, name = DEFAULTS.name } = options
  if (name === "") {
    throw new SafelightError({ code: "invalid-configuration", message: `${PREFIX}name is empty` })
  }
  return {
    ...takeIntegers({ bounds: BOUNDS, defaults, options, prefix: PREFIX }),
    limits: withDefaults(DEFAULTS.media, limits, "of the studio's limits"),
    media: options.media,
    inspector: options.inspector,
    name,
    sandbox: options.sandbox ?? DEFAULTS.sandbox,
    clock: options.clock ?? createSystemClock(globalThis),
    log: options.log ?? SILENT_LOG,
  }
}
