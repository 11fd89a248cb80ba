/** What a command is handed about the process it runs in; it reads nothing of this by itself. */
import type { Readable } from "node:stream"
import type { ClientClock } from "@safelight/client"
import type { Launcher } from "../launcher.ts"
import type { ExitCode } from "../exit-code.ts"

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The working directory. */
  readonly folder: string
  readonly launcher: Launcher
  /** Whether a person reads standard output, and no file, pipe or journal keeps it. */
  readonly isTerminal: boolean
  /** The columns of the terminal that standard error is; undefined if it is none. */
  readonly errorColumns: number | undefined
  /** Of the commands that talk to a service; the machine's by default. */
  readonly clock?: ClientClock
  /** Standard input. */
  readonly input: Readable
  /** Writes to standard output, which is for people and scripts alone. */
  print(text: string): void
  /** Writes to standard error: what a person is told beside the output. */
  printError(text: string): void
  /** What the process ends with once nothing is left to do; 0 if it is never called. */
  exitWith(code: ExitCode): void
}
