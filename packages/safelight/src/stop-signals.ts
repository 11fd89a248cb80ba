/**
 * SIGTERM and SIGINT for a service: the first asks for a stop, the second ends the process at once
 * (130 or 143). One key press may arrive twice, from the terminal and from whoever started us:
 * what our launcher tells is matched with what came directly, what npm repeats falls to a window.
 * And one may not arrive at all: npm's shell dies of a SIGTERM without passing it on.
 */
import process from "node:process"
import type { Launcher, StopSignal } from "./launcher.ts"

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const satisfies Record<
  StopSignal,
  number
>

/** npm repeats a signal within milliseconds; nobody asks twice on purpose this fast. */
const REPEAT_MS = 200
/** How often it is looked whether npm's shell is still there. */
const PARENT_CHECK_MS = 250

export interface StopSource {
  readonly launcher: Launcher
  /** Whether npm runs us: it sends on every signal that the terminal has sent here already. */
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
    // Asks for a stop like a signal, but is none: with one of its own it makes no second.
    if (source.isRunByNpm) onParentLost(() => resolve("SIGTERM"))
    source.launcher.onSignal((signal) => {
      told += 1
      take(signal)
    })
  })
}

/** A process whose parent has ended gets another one. */
function onParentLost(listener: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    listener()
  }, PARENT_CHECK_MS)
  timer.unref()
}
