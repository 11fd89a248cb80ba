/**
 * Runs the `safelight` command: in this process where that is the same, since a process takes a second
 * to start, else as one of its own. It sees no variable of the test run except those that any process
 * needs, so a developer's own settings never decide a test.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { Readable, Writable } from "node:stream"
import type { TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import type { ClientClock } from "@safelight/client"
import { runProgram, type CommandContext } from "safelight"
import { COMPILED } from "../../support/own-process.ts"

export const BIN = join(import.meta.dirname, "../../../packages/safelight/bin/safelight.js")

export interface CommandOptions {
  readonly folder: string
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  /** Another program than the Node that runs the tests. */
  readonly node?: string
  readonly bin?: string
  /** For what one process must not do twice, such as holding a folder's lock. */
  readonly isOwnProcess?: true
}

export interface CommandEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly ended: Promise<CommandEnd>
  stdout(): string
  stderr(): string
  /** Resolves with the first match on standard output; rejects when the command ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  kill(signal: NodeJS.Signals): void
}

export interface CommandProcess extends RunningCommand {
  readonly child: ChildProcess
}

/** What runs in each folder: it has to end before the folder goes. */
const runningIn = new Map<string, Set<() => Promise<unknown>>>()

/** Goes with the test, and what still runs in it before. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "safelight-command-"))
  const ends = new Set<() => Promise<unknown>>()
  runningIn.set(folder, ends)
  t.after(async () => {
    await Promise.all(Array.from(ends, (end) => end()))
    runningIn.delete(folder)
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

function noteRunning(folder: string, ended: Promise<CommandEnd>, ask: () => void): void {
  const ends = runningIn.get(folder)
  const end = (): Promise<CommandEnd> => {
    ask()
    return ended
  }
  ends?.add(end)
  void ended.then(() => ends?.delete(end))
}

export async function runCommand(
  words: readonly string[],
  options: CommandOptions,
): Promise<CommandEnd> {
  const { bin, isOwnProcess = false, node } = options
  const isSpecial = isOwnProcess || bin !== undefined || node !== undefined
  const running = isSpecial ? startCommand(words, options) : beginCommand(words, options)
  return running.ended
}

/** Pauses of the client, and a `--timeout` that is short, pass twenty times as fast. */
const QUICK: ClientClock = {
  now: Date.now,
  wait: (ms, signal) => setTimeout(ms > 30_000 ? ms : ms / 20, undefined, { signal }),
}

/** What a command has written so far, and who waits for more. */
function createOutput(ended: Promise<CommandEnd>) {
  const texts = { stdout: "", stderr: "" }
  const looks = new Set<() => void>()
  return {
    add(stream: "stdout" | "stderr", text: string): void {
      texts[stream] += text
      for (const look of looks) look()
    },
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    printed: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(texts.stdout)
          if (match !== null) resolve(match)
        }
        looks.add(look)
        look()
        void ended.then(({ code }) =>
          reject(new Error(`ended with ${code} before it printed ${pattern}: ${texts.stderr}`)),
        )
      }),
  }
}

/** In this process. Whatever the command leaves open is the test process's, which ends with its tests. */
export function beginCommand(
  words: readonly string[],
  { environment, folder, input = "" }: Pick<CommandOptions, "environment" | "folder" | "input">,
): RunningCommand {
  const { PATH = "", HOME = "" } = process.env
  const { promise: ended, resolve: end } = Promise.withResolvers<CommandEnd>()
  const { promise: stop, resolve: askStop } = Promise.withResolvers<string>()
  const output = createOutput(ended)
  let code = 0
  const exitWith = (given: number): void => void (code = given)
  const addError = (text: string): void => output.add("stderr", text)
  const context: CommandContext = {
    environment: { PATH, HOME, ...environment },
    folder,
    clock: QUICK,
    isTerminal: false,
    errorColumns: undefined,
    input: Readable.from([Buffer.from(input)]),
    output: new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        output.add("stdout", text)
        done()
      },
    }),
    print: (text) => output.add("stdout", text),
    printError: addError,
    printLog: addError,
    exitWith,
    exitNow: exitWith,
    waitForStop: () => stop,
    // The test runner hears of them, and the test fails.
    onUncaughtError() {},
  }
  void runProgram(words, context).then(() =>
    end({ code, signal: null, stdout: output.stdout(), stderr: output.stderr() }),
  )
  noteRunning(folder, ended, () => askStop("SIGTERM"))
  const { stdout, stderr, printed } = output
  return {
    ended,
    stdout,
    stderr,
    printed,
    kill(signal) {
      if (signal === "SIGKILL") throw new Error("only a process of its own can be killed")
      askStop(signal)
    },
  }
}

/** As a process of its own. */
export function startCommand(words: readonly string[], options: CommandOptions): CommandProcess {
  const { PATH = "", HOME = "" } = process.env
  const node = options.node ?? process.execPath
  const environment = { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...options.environment }
  const child = spawn(node, [options.bin ?? BIN, ...words], {
    cwd: options.folder,
    env: environment,
  })
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout: output.stdout(),
    stderr: output.stderr(),
  }))
  const output = createOutput(ended)
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => output.add(name, text))
  }
  child.stdin.on("error", () => {}).end(options.input ?? "")
  noteRunning(options.folder, ended, () => child.kill("SIGKILL"))
  const { stdout, stderr, printed } = output
  return { child, ended, stdout, stderr, printed, kill: (signal) => void child.kill(signal) }
}

export interface Serving extends RunningCommand {
  readonly url: string
}

export interface ServingProcess extends CommandProcess {
  readonly url: string
}

/** A service on a free port, in this process. */
export async function startService(
  folder: string,
  words: readonly string[] = [],
  options: Pick<CommandOptions, "environment"> = {},
): Promise<Serving> {
  const running = beginCommand(["serve", "--port", "0", ...words], { folder, ...options })
  return { ...running, url: await readUrl(running) }
}

/** A service on a free port, as a process that can be killed. */
export async function startServiceProcess(
  folder: string,
  words: readonly string[] = [],
  options: Omit<CommandOptions, "folder"> = {},
): Promise<ServingProcess> {
  const running = startCommand(["serve", "--port", "0", ...words], { folder, ...options })
  return { ...running, url: await readUrl(running) }
}

export async function readUrl(running: RunningCommand): Promise<string> {
  const [, url = ""] = await running.printed(/^listening on (http:\/\/\S+)$/m)
  return url
}

/** The key that is shown, or the one in the file that is named in its place. */
export function parseKey(text: string): string {
  const file = /^\/.*\/first-key-\w+$/m.exec(text)?.[0]
  const shown = file === undefined ? text : readFileSync(file, "utf8")
  return /sl_live_[0-9A-Za-z]+_[0-9A-Za-z]+/.exec(shown)?.[0] ?? ""
}
