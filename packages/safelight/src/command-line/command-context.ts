/** What a command is given of its process; it reads nothing of the process by itself. */
import type { Readable, Writable } from "node:stream"
import type { ClientClock } from "@safelight/client"
import type { ExitCode } from "../errors/exit-code.ts"

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The working directory. */
  readonly folder: string
  /** Whether standard output is a terminal, and not a file, a pipe or a journal that keeps it. */
  readonly isTerminal: boolean
  /** The width of the terminal on standard error; undefined if it is no terminal. */
  readonly errorColumns: number | undefined
  /** For the commands that call a service; the machine's clock by default. */
  readonly clock?: ClientClock
  /** Standard input. */
  readonly input: Readable
  /** Standard output as a stream, for a command that waits for its reader. */
  readonly output: Writable
  /** Writes to standard output, which is for people and scripts alone. */
  print(text: string): void
  /** Writes to standard error, which has everything that is not the result. */
  printError(text: string): void
  /** Takes lines of a service's log; without it they go to standard error, which then is never waited for. */
  readonly printLog?: (text: string) => void
  /** The exit code of the process once nothing is left to do; 0 if it is never called. */
  exitWith(code: ExitCode): void
  /** The process ends with this code, whatever is still open. */
  exitNow(code: ExitCode): void
  /** Resolves to the name of the first signal after the call; the second one ends the process. */
  waitForStop(): Promise<string>
  /** Calls back for errors that nothing caught, which then don't end the process by themselves. */
  onUncaughtError(listener: (error: Error) => void): void
}
