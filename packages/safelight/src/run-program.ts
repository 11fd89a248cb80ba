/**
 * Runs one command line, from its words to its exit code: parses it, runs the command, and turns any error into
 * one line. `bin/safelight.js` and tests call it alike.
 */
import { CommanderError } from "commander"
import type { CommandContext } from "./command-line/command-context.ts"
import { withSecretFiles } from "./configuration/secret-files.ts"
import { EXIT } from "./errors/exit-code.ts"
import { toFailure } from "./errors/failure-line.ts"
import { createProgram } from "./program.ts"
import { readVersion } from "./service/read-version.ts"

/** `words` are without the interpreter and the script. Resolves when the command is done; never rejects. */
export async function runProgram(words: readonly string[], given: CommandContext): Promise<void> {
  const environment = withSecretFiles(given.environment, given.folder)
  const context = { ...given, environment }
  try {
    const program = await createProgram({ context, version: await readVersion(), words })
    await program.parseAsync(words, { from: "user" })
  } catch (error) {
    fail(error, context)
  }
}

function fail(error: unknown, context: CommandContext): void {
  if (error instanceof CommanderError) {
    // Commander has printed what was wrong; `--help` and `--version` are no mistakes.
    context.exitWith(error.exitCode === 0 ? EXIT.done : EXIT.refused)
    return
  }
  const withStack = context.environment["SAFELIGHT_DEBUG"] === "1"
  const { text, exitCode } = toFailure(error, { withStack })
  context.printError(text)
  context.exitWith(exitCode)
}
