/**
 * A child process with a pipe to it. Its environment holds no secret, and while it is idle it keeps no host
 * alive. A child that fails is no error of its own here: its pipe ends.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import type { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { createBytePipe, type BytePipe } from "../wire/byte-pipe.ts"
import { PIPE } from "../wire/messages.ts"

export interface ChildOptions {
  /** A module that calls `serveOrders`. */
  readonly program: URL
  /** What the process may use before it is killed. */
  readonly memoryBytes: number
  /** What V8's heap may take of that. */
  readonly heapBytes: number
}

export interface Child {
  /** False once the process has ended, or is about to. */
  readonly isAlive: boolean
  /** Whether `end` was called. */
  readonly isEnded: boolean
  /** Undefined if there is no process. */
  readonly pipe: BytePipe | undefined
  /** Keeps the host alive until `rest`. */
  stir(): void
  rest(): void
  /** Kills the process if it runs, as it was late, say; resolves once it is gone. */
  end(isLate?: boolean): Promise<Death>
}

/** How a process ended. */
export interface Death {
  /** For a log: "the process …". */
  readonly how: string
  /** Whether it was killed for its time. */
  readonly isLate: boolean
  /** The system's error if there was no process at all. */
  readonly cause?: unknown
}

/** Throws the system's error if it can't start a process at all. */
export function startChild(options: ChildOptions): Child {
  const child = spawnProgram(options)
  const socket = child.stdio?.[PIPE] as Socket | undefined
  const gone = once(child, "exit").then(
    () => ({}),
    (cause: unknown) => ({ cause }),
  )
  let isAlive = child.pid !== undefined && socket !== undefined
  let isEnded = false
  let wasLate = false
  // Without listeners an error would end the host.
  child.on("error", markDead).once("exit", markDead)
  socket?.on("error", markDead)
  rest()

  function markDead(): void {
    isAlive = false
  }

  function stir(): void {
    child.ref()
    socket?.ref()
  }

  function rest(): void {
    child.unref()
    socket?.unref()
  }

  return {
    get isAlive() {
      return isAlive
    },
    get isEnded() {
      return isEnded
    },
    pipe: socket && createBytePipe(socket),
    stir,
    rest,
    async end(isLate = false) {
      isAlive = false
      isEnded = true
      wasLate ||= isLate
      if (isRunning(child)) {
        stir()
        child.kill("SIGKILL")
      }
      const error = await gone
      // A process that the dead one has started might still hold the other end.
      socket?.destroy()
      return {
        how: wasLate ? "was killed for its time" : describe(child),
        isLate: wasLate,
        ...error,
      }
    },
  }
}

function spawnProgram({ program, memoryBytes, heapBytes }: ChildOptions): ChildProcess {
  // Only the flag that finds the sources: the host's other flags are about its own entry.
  const flags = [
    `--max-old-space-size=${Math.floor(heapBytes / 1024 / 1024)}`,
    ...(program.pathname.endsWith(".ts") ? ["--conditions=@safelight/source"] : []),
  ]
  return spawn(process.execPath, [...flags, fileURLToPath(program), String(memoryBytes)], {
    // None of the host's variables, since they hold its secrets.
    env: {},
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  })
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}

function describe({ pid, exitCode, signalCode }: ChildProcess): string {
  if (pid === undefined) return "could not be started"
  return signalCode === null ? `ended with exit code ${exitCode}` : `was killed by ${signalCode}`
}
