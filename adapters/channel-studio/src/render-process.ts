/**
 * One process that renders, seen from outside: one job at a time, and the next one after it. Strangers'
 * bytes are parsed there and nowhere else, so it has no secret in its environment, and a process that
 * takes too long or too much memory is killed, which fails its own job alone.
 *
 *   starting → reading (each of the media) → painting → result
 *       └──────────┴─────── death, or its time is up ─┴→ result made here
 */
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { SafelightError, type AbortSignalLike, type Clock } from "@safelight/core"
import { readOutput, toOutputFile } from "./work-folder.ts"
import {
  toDetail,
  toOutputTypes,
  type RenderJob,
  type RenderResult,
  type WorkEnd,
  type WorkOrder,
} from "./rendering-job.ts"
import { watchWork } from "./watch-work.ts"

export interface RenderProcess {
  /** False once it has ended, or is about to. */
  readonly isAlive: boolean
  /**
   * Renders one job. If the process dies the result says so; if it could not be started, or died before
   * it began, the result is `not-started`. Rejects with `aborted` on the signal, which ends the process.
   * Once this has settled, the process no longer writes to the job's folder.
   */
  render(request: RenderRequest): Promise<RenderResult>
  /** Ends the process; resolves when it is gone. */
  end(): Promise<void>
}

export interface RenderRequest {
  readonly job: RenderJob
  /** The rendering's own folder, for its results. */
  readonly folder: string
  readonly signal: AbortSignalLike
  /** 1 to 99, rising. */
  readonly report: (progress: number) => void
}

export interface RenderProcessOptions {
  readonly workerMemoryBytes: number
  readonly clock: Clock
}

const IS_SOURCE = import.meta.url.endsWith(".ts")
const WORKER_URL = new URL(IS_SOURCE ? "./render-worker.ts" : "./render-worker.js", import.meta.url)

/** For V8's heap alone: pixels and files are outside it. */
const HEAP_MB = 512

export function createRenderProcess(options: RenderProcessOptions): RenderProcess {
  const child = startChild(options)
  /** Resolves to the error where there is no process. */
  const gone = once(child, "exit").catch((error: unknown) => error)
  let isAlive = true
  // A job learns of an error by its own listener; without this one it would end the host.
  child.on("error", markDead)
  child.once("exit", markDead)
  rest()

  function markDead(): void {
    isAlive = false
  }

  /** An idle process keeps no host alive. */
  function rest(): void {
    child.unref()
    child.channel?.unref()
  }

  function stir(): void {
    child.ref()
    child.channel?.ref()
  }

  async function end(): Promise<void> {
    isAlive = false
    if (!hasStarted(child) || hasEnded(child)) return
    stir()
    child.kill("SIGKILL")
    await gone
  }

  return {
    get isAlive() {
      return isAlive
    },
    end,
    async render({ job, folder, signal, report }) {
      if (!hasStarted(child)) return { kind: "not-started", detail: toDetail(await gone) }
      if (!isAlive) return { kind: "not-started", detail: "the process had ended" }
      stir()
      const stop = (): void => void end()
      const result = watchWork({ child, clock: options.clock, job, report })
      signal.addEventListener("abort", stop, { once: true })
      const order: WorkOrder = { job, folder }
      // If the order can't be sent, the process has ended, and its exit follows.
      child.send(order, () => {})
      const worked = await result
      signal.removeEventListener("abort", stop)
      // A process that is ending is waited for, even if its result came first.
      if (isAlive) rest()
      else await end().then(() => gone)
      if (signal.aborted) throw aborted()
      return toResult(job, folder, worked)
    },
  }
}

function startChild({ workerMemoryBytes }: RenderProcessOptions): ChildProcess {
  // None of the host's flags, which are for its own program, but the one that finds the sources.
  const execArgv = [
    `--max-old-space-size=${HEAP_MB}`,
    ...(IS_SOURCE ? ["--conditions=@safelight/source"] : []),
  ]
  return fork(WORKER_URL, [String(workerMemoryBytes)], {
    // None of the host's variables: its secrets are among them.
    env: {},
    execArgv,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  })
}

const hasStarted = ({ pid }: ChildProcess): boolean => pid !== undefined
const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

/** Reads the results into memory, by names of our own. */
async function toResult(job: RenderJob, folder: string, worked: WorkEnd): Promise<RenderResult> {
  if (worked.kind !== "rendered") return worked
  const outputs = await Promise.all(
    toOutputTypes(job).map(async (mimeType, index) => {
      return { mimeType, bytes: await readOutput(toOutputFile(folder, index)) }
    }),
  )
  return { kind: "rendered", outputs }
}

export function aborted(): SafelightError {
  return new SafelightError({ code: "aborted", message: "the rendering was called off" })
}
