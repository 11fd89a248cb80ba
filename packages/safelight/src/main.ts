/**
 * What `bin/safelight.js` calls once it runs on a Node that is new enough: hands the command what it may
 * know of this process.
 */
import process from "node:process"
import { joinLauncher } from "./launcher.ts"
import { runProgram } from "./run-program.ts"

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
  await runProgram(options.arguments, {
    environment: process.env,
    folder: process.cwd(),
    launcher: joinLauncher(options.launcher),
    isTerminal: process.stdout.isTTY,
    errorColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
    input: process.stdin,
    print: (text) => void process.stdout.write(text),
    printError: (text) => void process.stderr.write(text),
    exitWith(code) {
      process.exitCode = code
    },
  })
}
