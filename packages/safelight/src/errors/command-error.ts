/**
 * A command that can't continue: a line for the person who typed it, and an exit code for a script. This is the
 * only error whose message is shown as it is; commands throw it, `main` prints it.
 */
import { EXIT, type ExitCode } from "./exit-code.ts"

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

/** Wrong usage, or something that does not exist or can't be done: another command is needed. */
export function refused(message: string, cause?: unknown): CommandError {
  return new CommandError({ exitCode: EXIT.refused, message, cause })
}
