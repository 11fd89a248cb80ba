/**
 * A command that can't go on: the line for the person who typed it and the code for their script.
 * The only error whose message is shown as it stands; commands throw it, `main` prints it.
 */
import type { ExitCode } from "./exit-code.ts"

export interface CommandErrorOptions {
  readonly exitCode: ExitCode
  readonly message: string
  readonly cause?: unknown
}

export class CommandError extends Error {
  override readonly name = "CommandError"
  readonly exitCode: ExitCode

  constructor(options: CommandErrorOptions) {
    super(options.message, { cause: options.cause })
    this.exitCode = options.exitCode
  }
}
