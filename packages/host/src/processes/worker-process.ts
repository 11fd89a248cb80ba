/**
 * A process that works for this one, an order at a time. Strangers' bytes are parsed there and not here: its
 * environment holds no secret, none of its messages is used unchecked, and it is killed if it takes too long
 * or too much memory, which fails the work in its hands alone.
 *
 *   starting ─→ begun ─→ … ─→ last message
 *       └─ death, ─┴─ its time is over, or the signal ─→ gone
 */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import type { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import type { AbortSignalLike, Clock } from "@safelight/core"
import { createBytePipe, type BytePipe } from "../wire/byte-pipe.ts"
import { PIPE, readMessage, writeMessage } from "../wire/messages.ts"
import { createWorkTime, type WorkTime } from "./work-time.ts"

export interface WorkerProcessOptions {
  /** A module that calls `serveOrders`. */
  readonly program: URL
  /** What the process may use before it is killed. */
  readonly memoryBytes: number
  /** What V8's heap may take of that. */
  readonly heapBytes: number
  readonly clock: Clock
}

export interface Work<Result> {
  /** Goes to the process as JSON. */
  readonly order: unknown
  /** Ends the process. */
  readonly signal: AbortSignalLike
  /** Called once the process has begun. If it rejects, or ends the process, the process is used no more. */
  readonly follow: (worker: Worker) => Promise<Result>
}

/** A process at work. Its time runs until it is replaced or paused. */
export interface Worker extends Omit<WorkTime, "stop"> {
  /**
   * The next message, unchecked: hostile bytes may have taken the process over. Undefined once the process is
   * gone, which it also is after its time, or after a message that is too long or no JSON.
   */
  receive(): Promise<unknown>
  /** Bytes that the process asked for. Resolves once they are written, or the process is gone. */
  send(bytes: Uint8Array): Promise<void>
  /** Ends the process; resolves once it is gone. */
  end(): Promise<Death>
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

export interface WorkerProcess {
  /** False once the process has ended, or is about to. */
  readonly isAlive: boolean
  /**
   * Resolves to a `Death` if the process was gone before it began, so that the work can't be the cause. Rejects
   * as `follow` does. Once this has settled the process does nothing more.
   */
  work<Result>(work: Work<Result>): Promise<{ readonly result: Result } | Death>
  end(): Promise<Death>
}

/** For a process to start and load what it needs: a second on an idle machine. */
const START_MS = 60_000

/** The longest message quotes a fault with its frames. */
const MOST_MESSAGE_BYTES = 16 * 1024

/** Throws the system's error if it can't start a process at all. */
export function startWorkerProcess(options: WorkerProcessOptions): WorkerProcess {
  const child = startProgram(options)
  const socket = child.stdio?.[PIPE] as Socket | undefined
  const pipe = socket && createBytePipe(socket)
  const gone = once(child, "exit").then(
    () => ({}),
    (cause: unknown) => ({ cause }),
  )
  const time = createWorkTime(options.clock, () => {
    isLate = true
    void end()
  })
  let isAlive = child.pid !== undefined && socket !== undefined
  let isLate = false
  // Without listeners an error would end the host, which sees the end of the pipe anyway.
  child.on("error", markDead).once("exit", markDead)
  socket?.on("error", markDead)
  keepHost(false)

  function markDead(): void {
    isAlive = false
  }

  /** An idle process keeps no host alive. */
  function keepHost(isKept: boolean): void {
    for (const each of [child, socket]) each?.[isKept ? "ref" : "unref"]()
  }

  async function end(): Promise<Death> {
    isAlive = false
    pipe?.close()
    if (isRunning(child)) {
      keepHost(true)
      child.kill("SIGKILL")
    }
    const error = await gone
    return { how: isLate ? "was killed for its time" : describeEnd(child), isLate, ...error }
  }

  return {
    get isAlive() {
      return isAlive
    },
    end,
    async work(work) {
      if (pipe === undefined || !isAlive) return end()
      const kill = (): void => void end()
      keepHost(true)
      work.signal.addEventListener("abort", kill, { once: true })
      try {
        return await converse(pipe, work, { ...time, end })
      } catch (error) {
        await end()
        throw error
      } finally {
        time.stop()
        work.signal.removeEventListener("abort", kill)
        if (isAlive) keepHost(false)
        else await end()
      }
    },
  }
}

async function converse<Result>(
  pipe: BytePipe,
  { follow, order }: Work<Result>,
  control: Omit<Worker, "receive" | "send">,
): Promise<{ readonly result: Result } | Death> {
  const worker: Worker = {
    ...control,
    async receive() {
      const message = await readMessage(pipe, MOST_MESSAGE_BYTES)
      if (message === undefined) await control.end()
      return message
    },
    send: (bytes) => pipe.write(bytes),
  }
  worker.allow(START_MS)
  await writeMessage(pipe, order)
  const begun = (await worker.receive()) as { readonly kind?: unknown } | null | undefined
  return begun?.kind === "begun" ? { result: await follow(worker) } : worker.end()
}

function startProgram({ program, memoryBytes, heapBytes }: WorkerProcessOptions): ChildProcess {
  // Only the flag that finds the sources: the host's other flags are about its own entry.
  const flags = [
    `--max-old-space-size=${Math.floor(heapBytes / 1024 / 1024)}`,
    ...(program.pathname.endsWith(".ts") ? ["--conditions=@safelight/source"] : []),
  ]
  const words = [fileURLToPath(program), memoryBytes, process.pid].map(String)
  return spawn(process.execPath, [...flags, ...words], {
    // None of the host's variables, since they hold its secrets.
    env: {},
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  })
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}

function describeEnd({ pid, exitCode, signalCode }: ChildProcess): string {
  if (pid === undefined) return "could not be started"
  return signalCode === null ? `ended with exit code ${exitCode}` : `was killed by ${signalCode}`
}
