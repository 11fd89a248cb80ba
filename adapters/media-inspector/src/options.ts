/** What a host may set of the inspector, checked once at its construction. */
import { createSystemClock, SafelightError, type Clock } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"

export interface MediaInspectorOptions {
  /** Processes that measure at once, at most; further media wait. */
  readonly processes?: number
  /** What each of them may use before it is killed, and its medium counts as unreadable. */
  readonly memoryBytes?: number
  /** How long a process may work on one medium; what `read` takes does not count. */
  readonly inspectMs?: number
  readonly clock?: Clock
}

export type MediaInspectorSettings = Required<MediaInspectorOptions>

/**
 * [least, greatest]. A process that has measured nothing yet takes 100 MB; a timer in Node takes at
 * most 2^31 - 1 ms.
 */
const BOUNDS = {
  processes: [1, 1_000],
  memoryBytes: [128 * 1024 * 1024, Number.MAX_SAFE_INTEGER],
  inspectMs: [1, 2_147_483_647],
} as const

/** Throws `invalid-configuration`, naming the option. */
export function checkOptions(options: MediaInspectorOptions): MediaInspectorSettings {
  return {
    processes: bounded("processes", options),
    memoryBytes: bounded("memoryBytes", options),
    inspectMs: bounded("inspectMs", options),
    clock: options.clock ?? createSystemClock(globalThis),
  }
}

function bounded(name: keyof typeof BOUNDS, options: MediaInspectorOptions): number {
  const value = options[name] ?? DEFAULTS[name]
  const [least, greatest] = BOUNDS[name]
  if (Number.isSafeInteger(value) && value >= least && value <= greatest) return value
  throw new SafelightError({
    code: "invalid-configuration",
    message: `The media inspector's option ${name} must be an integer from ${least} to ${greatest}.`,
  })
}
