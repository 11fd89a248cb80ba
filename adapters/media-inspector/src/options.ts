/** The options of the inspector, checked once at its construction, and every number with its reason. */
import { createSystemClock, LONGEST_TIMER_MS, takeIntegers, type Clock } from "@safelight/core"

export interface MediaInspectorOptions {
  /** Processes that any account's media may have at once; one more is for accounts that have none. */
  readonly processes?: number
  /** The memory of each process; one that uses more is killed, and its medium is unreadable. */
  readonly memoryBytes?: number
  /** How long a process may work on one medium; the time of `read` does not count. */
  readonly inspectMs?: number
  readonly clock?: Clock
}

export type MediaInspectorSettings = Required<MediaInspectorOptions>

/** A host may set the first three. */
export const DEFAULTS = {
  /** Measuring takes milliseconds of a processor, most of which is waiting for bytes. */
  processes: 2,
  /** Node and the parsers take 100 MB; 500 MB of MP3, read through, were seen to take 440. */
  memoryBytes: 512 * 1024 * 1024,
  /** An hour of MP3, which has no index and is read through, takes a second. */
  inspectMs: 10_000,
  /** A medium below this has less time: all of it is read and parsed within milliseconds. */
  smallBytes: 1024 * 1024,
  /** So that media made to be parsed for ever, which are the smallest, hold a process for less long. */
  smallInspectMs: 3_000,
} as const

/** A process that has measured nothing yet takes 100 MB. */
const BOUNDS = {
  processes: [1, 1_000],
  memoryBytes: [128 * 1024 * 1024, Number.MAX_SAFE_INTEGER],
  inspectMs: [1, LONGEST_TIMER_MS],
} as const

/** Throws `invalid-configuration`, naming the option. */
export function checkOptions(options: MediaInspectorOptions): MediaInspectorSettings {
  const prefix = "The media inspector's option "
  return {
    ...takeIntegers({ options, bounds: BOUNDS, defaults: DEFAULTS, prefix }),
    clock: options.clock ?? createSystemClock(globalThis),
  }
}
