/**
 * The parent that `bin/safelight.js` leaves behind where Node could not replace itself. It tells of
 * its signals over the channel; a terminal or a kill of the group sends the same signal here as
 * well, so the two are matched: the n-th of one and the n-th of the other are one request.
 */
import process from "node:process"

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP"

export interface Launcher {
  /** Calls back for each signal asked of the parent; until then they end this process. */
  onSignal(listener: (signal: StopSignal) => void): void
}

/** Nothing is left behind: every signal comes here directly. */
const NO_LAUNCHER: Launcher = { onSignal() {} }

/** `kind` is what the launcher says of itself; a parent that dies takes this process with it. */
export function joinLauncher(kind: string | undefined): Launcher {
  if (kind !== "parent" || process.channel === undefined) return NO_LAUNCHER
  let listener = endByItself
  process.on("message", (message: { readonly signal: StopSignal }) => listener(message.signal))
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"))
  // A command that has nothing more to do ends, channel or not.
  process.channel?.unref()
  return {
    onSignal(next) {
      listener = next
    },
  }
}

/** As if the signal had come here: what it does is the system's to say. */
function endByItself(signal: StopSignal): void {
  process.kill(process.pid, signal)
}
