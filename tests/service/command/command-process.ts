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
import { Readable } from "node:stream"
import type { TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import type { ClientClock } from "@safelight/client"
import { runProgram } from "safelight"
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
  /** In a process group of its own, to be signalled as one. */
  readonly detached?: boolean
}

export interface CommandEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly child: ChildProcess
  readonly ended: Promise<CommandEnd>
  stdout(): string
  stderr(): string
  /** Resolves with the first match on standard output; rejects when the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  kill(signal: NodeJS.Signals): void
}

/** What runs in each folder: it has to end before the folder goes. */
const runningIn = new Map<string, Set<RunningCommand>>()

/** Goes with the test, and what still runs in it before. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "safelight-command-"))
  const commands = new Set<RunningCommand>()
  runningIn.set(folder, commands)
  t.after(async () => {
    for (const { child } of commands) child.kill("SIGKILL")
    await Promise.all(Array.from(commands, ({ ended }) => ended))
    runningIn.delete(folder)
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

/** What goes on until a signal ends it. */
const LASTING = new Set(["serve", "stub"])

export async function runCommand(
  words: readonly string[],
  options: CommandOptions,
): Promise<CommandEnd> {
  const { bin, detached, isOwnProcess = false, node } = options
  const isSpecial = isOwnProcess || bin !== undefined || node !== undefined || detached === true
  if (isSpecial || LASTING.has(words[0] ?? "")) return startCommand(words, options).ended
  return runInProcess(words, options)
}

/** Pauses of the client, and a `--timeout` that is short, pass twenty times as fast. */
const QUICK: ClientClock = {
  now: Date.now,
  wait: (ms, signal) => setTimeout(ms > 30_000 ? ms : ms / 20, undefined, { signal }),
}

/** Whatever the command leaves open is the test process's, which ends with its tests. */
async function runInProcess(
  words: readonly string[],
  { environment, folder, input = "" }: CommandOptions,
): Promise<CommandEnd> {
  const { PATH = "", HOME = "" } = process.env
  let stdout = ""
  let stderr = ""
  let code = 0
  await runProgram(words, {
    environment: { PATH, HOME, ...environment },
    folder,
    launcher: { onSignal() {} },
    clock: QUICK,
    isTerminal: false,
    errorColumns: undefined,
    input: Readable.from([Buffer.from(input)]),
    print: (text) => void (stdout += text),
    printError: (text) => void (stderr += text),
    exitWith: (given) => void (code = given),
  })
  return { code, signal: null, stdout, stderr }
}

export function startCommand(words: readonly string[], options: CommandOptions): RunningCommand {
  const { PATH = "", HOME = "" } = process.env
  const node = options.node ?? process.execPath
  const environment = { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...options.environment }
  const child = spawn(node, [options.bin ?? BIN, ...words], {
    cwd: options.folder,
    env: environment,
    detached: options.detached ?? false,
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  child.stdin.on("error", () => {}).end(options.input ?? "")
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout,
    stderr,
  }))
  const command: RunningCommand = {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(stdout)
          if (match !== null) resolve(match)
        }
        child.stdout.on("data", look)
        look()
        void ended.then(({ code }) =>
          reject(new Error(`ended with ${code} before it printed ${pattern}: ${stderr}`)),
        )
      }),
    kill(signal) {
      child.kill(signal)
    },
  }
  const commands = runningIn.get(options.folder)
  commands?.add(command)
  void ended.then(() => commands?.delete(command))
  return command
}

export interface Serving extends RunningCommand {
  readonly url: string
}

/** A service on a free port, in a temporary folder. */
export async function startService(
  folder: string,
  words: readonly string[] = [],
  options: Omit<CommandOptions, "folder"> = {},
): Promise<Serving> {
  const running = startCommand(["serve", "--port", "0", ...words], { folder, ...options })
  const [, url = ""] = await running.printed(/^listening on (http:\/\/\S+)$/m)
  return { ...running, url }
}

/** The key that is shown, or the one in the file that is named in its place. */
export function parseKey(text: string): string {
  const file = /^\/.*\/first-key-\w+$/m.exec(text)?.[0]
  const shown = file === undefined ? text : readFileSync(file, "utf8")
  return /sl_live_[0-9A-Za-z]+_[0-9A-Za-z]+/.exec(shown)?.[0] ?? ""
}
