/**
 * The parent process that `bin/safelight.js` leaves if Node can't replace itself. It reports its signals over the
 * channel. A terminal or a kill of the group sends the same signal here as well, so the two are matched: the
 * n-th of one and the n-th of the other are one request.
 */
import process from "node:process"

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP"

export interface Launcher {
  /** Calls back for each signal that the parent gets. Until it is called, such a signal ends this process. */
  onSignal(listener: (signal: StopSignal) => void): void
}

/** There is no parent: every signal comes here directly. */
const NO_LAUNCHER: Launcher = { onSignal() {} }

/** `kind` is how `bin/safelight.js` started this process. If the parent dies, this process ends too. */
export function joinLauncher(kind: string | undefined): Launcher {
  if (kind !== "parent" || process.channel === undefined) return NO_LAUNCHER
  let listener = endByItself
  process.on("message", (message: { readonly signal: StopSignal }) => listener(message.signal))
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"))
  // The channel must not keep a finished command alive.
  process.channel?.unref()
  return {
    onSignal(next) {
      listener = next
    },
  }
}

/** As if the signal had come here, with whatever the system does then. */
function endByItself(signal: StopSignal): void {
  process.kill(process.pid, signal)
}
