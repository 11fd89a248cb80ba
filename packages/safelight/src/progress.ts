/**
 * Progress on standard error: a bar on a terminal, else a plain line whenever something changed.
 * The bar's library ends the process with code 0 on Ctrl-C; a command that was called off has to
 * say so, hence the correction below.
 */
import process from "node:process"
import { toOneLine } from "./failure-line.ts"

export interface Progress {
  /** `percent` from 0 to 100; absent: as before. */
  report(label: string, percent?: number): void
  /** Ends the display, with a last line where there is something to say. Once is enough. */
  end(label?: string): void
}

export interface ProgressOptions {
  /** Shows nothing but on a terminal. */
  readonly isQuiet?: boolean
}

/** The code of a command that Ctrl-C ended. */
const INTERRUPTED = 130

export async function createProgress({ isQuiet = false }: ProgressOptions = {}): Promise<Progress> {
  // A terminal that says it has no columns would be drawn on a letter a line.
  if (process.stderr.isTTY && process.stderr.columns > 0) return createBar()
  return isQuiet ? { report() {}, end() {} } : createLines()
}

function createLines(): Progress {
  let last = ""
  const report = (label: string, percent?: number): void => {
    const line = toOneLine(percent === undefined ? label : `${label} ${percent}%`)
    if (line !== last) process.stderr.write(`${line}\n`)
    last = line
  }
  return { report, end: (label) => label !== undefined && report(label) }
}

async function createBar(): Promise<Progress> {
  const { progress } = await import("@clack/prompts")
  const bar = progress({
    output: process.stderr,
    max: 100,
    size: 30,
    withGuide: false,
    onCancel: () => process.exit(INTERRUPTED),
  })
  process.once("exit", correctExitCode)
  let shown = 0
  let isOpen = true
  bar.start()
  return {
    report(label, percent = shown) {
      bar.advance(Math.max(0, percent - shown), toOneLine(label))
      shown = Math.max(shown, percent)
    },
    end(label) {
      if (!isOpen) return
      isOpen = false
      process.off("exit", correctExitCode)
      if (label === undefined) bar.clear()
      else bar.stop(toOneLine(label))
    },
  }
}

function correctExitCode(): void {
  if (process.exitCode === undefined || process.exitCode === 0) process.exitCode = INTERRUPTED
}
