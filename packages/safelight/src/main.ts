/**
 * Where `bin/safelight.js` goes on once it runs on a Node that will do: parses the command line,
 * runs the command, and turns whatever went wrong into one line and an exit code.
 */
import { readFile } from "node:fs/promises"
import process from "node:process"
import { CommanderError } from "commander"
import type { CommandContext } from "./commands/command-context.ts"
import { EXIT } from "./exit-code.ts"
import { toFailure } from "./failure-line.ts"
import { joinLauncher } from "./launcher.ts"
import { createProgram } from "./program.ts"

export interface MainOptions {
  /** Without the interpreter and the script. */
  readonly arguments: readonly string[]
  /** How `bin/safelight.js` started this process; undefined where it did not have to. */
  readonly launcher: string | undefined
}

/** Resolves when the command is done, with the exit code set. Never rejects. */
export async function main(options: MainOptions): Promise<void> {
  // A reader that has seen enough is no failure of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
  })
  const context: CommandContext = {
    environment: process.env,
    folder: process.cwd(),
    launcher: joinLauncher(options.launcher),
    isTerminal: process.stdout.isTTY,
    print: (text) => void process.stdout.write(text),
    exitWith(code) {
      process.exitCode = code
    },
  }
  try {
    const program = createProgram({ context, version: await readVersion() })
    await program.parseAsync(options.arguments, { from: "user" })
  } catch (error) {
    fail(error)
  }
}

function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has said what was wrong; asking for help or the version is no mistake.
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.refused
    return
  }
  const withStack = process.env["SAFELIGHT_DEBUG"] === "1"
  const { text, exitCode } = toFailure(error, { withStack })
  process.stderr.write(text)
  process.exitCode = exitCode
}

async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8")
  return (JSON.parse(manifest) as { readonly version: string }).version
}
