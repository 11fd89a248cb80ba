/**
 * What `bin/safelight.js` calls once it runs on a Node that is new enough. It gives the command what it may know
 * of this process.
 */
import process from "node:process"
import { runProgram } from "./run-program.ts"
import { waitForStop } from "./stop-signals.ts"

export interface MainOptions {
  /** Without the interpreter and the script. */
  readonly arguments: readonly string[]
}

/** Resolves when the command is done, with the exit code set. Never rejects. */
export async function main(options: MainOptions): Promise<void> {
  // A reader that closes the pipe early is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
  })
  await runProgram(options.arguments, {
    environment: process.env,
    folder: process.cwd(),
    isTerminal: process.stdout.isTTY,
    errorColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
    input: process.stdin,
    output: process.stdout,
    print: (text) => void process.stdout.write(text),
    printError: (text) => void process.stderr.write(text),
    exitWith(code) {
      process.exitCode = code
    },
    exitNow: (code) => process.exit(code),
    waitForStop: () =>
      waitForStop({ isRunByNpm: process.env["npm_lifecycle_event"] !== undefined }),
    onUncaughtError: (listener) => void process.on("uncaughtException", listener),
  })
}
