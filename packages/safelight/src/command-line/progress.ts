/**
 * Progress on standard error: on a terminal one line that is written over, elsewhere a plain line for each change.
 * No mode of the terminal is changed, so Ctrl-C needs no handling.
 */
import type { CommandContext } from "./command-context.ts"
import { formatOneLine } from "../text/one-line.ts"

export interface Progress {
  /** `percent` from 0 to 100; absent: as before. */
  report(label: string, percent?: number): void
  /** Ends the display, with `label` as its last line if it is given. Further calls do nothing. */
  end(label?: string): void
}

export interface ProgressOptions {
  /** Shows nothing except on a terminal. */
  readonly isQuiet?: boolean
}

/** Moves to the beginning of the line and erases it (ECMA-48: CR, EL). */
const OVER = "\r\u001b[K"

export function createProgress(
  { errorColumns, printError }: Pick<CommandContext, "errorColumns" | "printError">,
  { isQuiet = false }: ProgressOptions = {},
): Progress {
  // A terminal that says it has no columns could show no letter.
  if (errorColumns !== undefined && errorColumns > 0) return createBar(printError, errorColumns)
  return isQuiet ? { report() {}, end() {} } : createLines(printError)
}

type Print = CommandContext["printError"]

function createLines(print: Print): Progress {
  let last = ""
  const report = (label: string, percent?: number): void => {
    const line = formatOneLine(percent === undefined ? label : `${label} ${percent}%`)
    if (line !== last) print(`${line}\n`)
    last = line
  }
  return { report, end: (label) => label !== undefined && report(label) }
}

function createBar(print: Print, columns: number): Progress {
  let shown = 0
  let isOpen = true
  return {
    report(label, percent = shown) {
      // The display does not go back if a task is tried again.
      shown = Math.max(shown, percent)
      const line = shown === 0 ? label : `${label} ${Math.round(shown)}%`
      // A line that fills the terminal would break, and the next could not be written over it.
      print(`${OVER}${formatOneLine(line).slice(0, columns - 1)}`)
    },
    end(label) {
      if (!isOpen) return
      isOpen = false
      print(label === undefined ? OVER : `${OVER}${formatOneLine(label)}\n`)
    },
  }
}
