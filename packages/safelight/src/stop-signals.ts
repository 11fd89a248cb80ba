/**
 * The signals of a service: the first one asks for a stop, the second one ends the process at once (129, 130 or
 * 143). One key press may arrive twice, from the terminal and from the parent process: signals that our launcher
 * reports are matched with direct ones, and a repeat by npm is ignored within a short time. A signal may also
 * not arrive at all: npm's shell dies of a SIGTERM without passing it on.
 */
import process from "node:process"
import type { Launcher, StopSignal } from "./launcher.ts"

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const satisfies Record<
  StopSignal,
  number
>

/** npm repeats a signal within milliseconds; no person sends a second one this fast. */
const REPEAT_MS = 200
/** How often it checks that npm's shell still exists. */
const PARENT_CHECK_MS = 250

export interface StopSource {
  readonly launcher: Launcher
  /** Whether npm runs us: it repeats every signal that the terminal has already sent here. */
  readonly isRunByNpm: boolean
}

/** Resolves on the first signal. */
export function waitForStop(source: StopSource): Promise<StopSignal> {
  return new Promise((resolve) => {
    let direct = 0
    let told = 0
    let lastAt = -Infinity
    const take = (signal: StopSignal): void => {
      if (Math.max(direct, told) > 1) process.exit(CODES[signal])
      resolve(signal)
    }
    for (const signal of Object.keys(CODES) as StopSignal[]) {
      process.on(signal, () => {
        const sinceMs = performance.now() - lastAt
        lastAt = performance.now()
        if (source.isRunByNpm && sinceMs < REPEAT_MS) return
        direct += 1
        take(signal)
      })
    }
    // Requests a stop like a signal, but does not count as one: the next signal is the first.
    if (source.isRunByNpm) onParentLost(() => resolve("SIGTERM"))
    source.launcher.onSignal((signal) => {
      told += 1
      take(signal)
    })
  })
}

/** A process gets another parent when its parent has ended. */
function onParentLost(listener: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    listener()
  }, PARENT_CHECK_MS)
  timer.unref()
}
