/**
 * One worker thread, seen from outside. It renders one job at a time and lives on after it, unless
 * it dies of it or the job is called off: nothing but its end stops a loop in it.
 */
import { Worker } from "node:worker_threads"
import { SafelightError, type AbortSignalLike } from "@safelight/core"
import { toDetail, type RenderJob, type RenderResult, type WorkerMessage } from "./rendering-job.ts"

export interface RenderThread {
  /** False once it has ended. */
  readonly isAlive: boolean
  /**
   * Renders one job, whose buffers are handed over and empty afterwards. A thread that dies of it
   * makes a `broken` result; rejects with `aborted` on the signal, which ends the thread.
   */
  render(request: RenderRequest): Promise<RenderResult>
  /** Ends the thread; resolves when it is gone. */
  end(): Promise<void>
}

export interface RenderRequest {
  readonly job: RenderJob
  readonly signal: AbortSignalLike
  /** 1 to 99, rising. */
  readonly report: (progress: number) => void
}

const WORKER_URL = new URL(
  import.meta.url.endsWith(".ts") ? "./render-worker.ts" : "./render-worker.js",
  import.meta.url,
)

export function createRenderThread(): RenderThread {
  // Of the host's flags only how packages are resolved: others, such as --input-type, are about
  // its own entry and would keep the thread from starting.
  const execArgv = process.execArgv.filter((flag) => flag.startsWith("--conditions="))
  const worker = new Worker(WORKER_URL, { name: "safelight-studio", execArgv })
  let isAlive = true
  // An idle thread keeps no process alive.
  worker.unref()
  // A job learns of an error by its own listener; without this one it would end the process.
  worker.on("error", markDead)
  worker.once("exit", markDead)

  function markDead(): void {
    isAlive = false
  }

  async function end(): Promise<void> {
    isAlive = false
    await worker.terminate()
  }

  function stop(): void {
    void end()
  }

  return {
    get isAlive() {
      return isAlive
    },
    end,
    async render({ job, signal, report }) {
      if (!isAlive) return { kind: "broken", detail: "the thread had ended" }
      worker.ref()
      const message = listen(worker, report)
      signal.addEventListener("abort", stop, { once: true })
      worker.postMessage(job, toTransfers(job))
      const result = await message
      signal.removeEventListener("abort", stop)
      // A thread that is ending is waited for, even where its result came first.
      if (isAlive) worker.unref()
      if (signal.aborted) throw aborted()
      return result
    },
  }
}

/** The result of the job under way, or what the thread's end makes of it. */
function listen(worker: Worker, report: (progress: number) => void): Promise<RenderResult> {
  return new Promise((resolve) => {
    function finish(result: RenderResult): void {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit)
      resolve(result)
    }
    function onMessage(message: WorkerMessage): void {
      if (message.kind === "progress") report(message.progress)
      else finish(message)
    }
    function onError(error: unknown): void {
      finish({ kind: "broken", detail: toDetail(error) })
    }
    function onExit(code: number): void {
      finish({ kind: "broken", detail: `the thread exited with ${code}` })
    }
    worker.on("message", onMessage).on("error", onError).on("exit", onExit)
  })
}

function toTransfers(job: RenderJob): ArrayBuffer[] {
  if (job.kind === "edit") return job.images.map(({ buffer }) => buffer)
  if (job.kind !== "video") return []
  return [...job.images, ...job.videos, ...job.audios].map(({ buffer }) => buffer)
}

export function aborted(): SafelightError {
  return new SafelightError({ code: "aborted", message: "the rendering was called off" })
}
