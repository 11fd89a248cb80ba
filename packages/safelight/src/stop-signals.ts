/**
 * The signals of a service: the first one asks for a stop, the second one ends the process at once (129, 130 or
 * 143). Under npm one key press arrives twice, from the terminal and from npm, so a repeat within a short time
 * is ignored. A signal may also not arrive at all: npm's shell dies of a SIGTERM without passing it on.
 */
import process from "node:process"

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export type StopSignal = keyof typeof CODES

/** npm repeats a signal within milliseconds; no person sends a second one this fast. */
const REPEAT_MS = 200
/** How often it checks that npm's shell still exists. */
const PARENT_CHECK_MS = 250

export interface StopSource {
  /** Whether npm runs us: it repeats every signal that the terminal has already sent here. */
  readonly isRunByNpm: boolean
}

/** Resolves on the first signal. */
export function waitForStop({ isRunByNpm }: StopSource): Promise<StopSignal> {
  return new Promise((resolve) => {
    let signals = 0
    let lastAt = -Infinity

    function listenTo(signal: StopSignal): void {
      process.on(signal, () => {
        const sinceMs = performance.now() - lastAt
        lastAt = performance.now()
        if (isRunByNpm && sinceMs < REPEAT_MS) return
        signals += 1
        if (signals > 1) process.exit(CODES[signal])
        resolve(signal)
      })
    }

    listenTo("SIGINT")
    listenTo("SIGTERM")
    listenTo("SIGHUP")
    // Requests a stop like a signal, but does not count as one: the next signal is the first.
    if (isRunByNpm) onParentLost(() => resolve("SIGTERM"))
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
