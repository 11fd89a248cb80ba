/**
 * Processes that render, as many as allowed and only as many as are needed. A process that dies fails its own job
 * alone. If it was gone before the job began, because it was killed while it was idle, say, the job itself gets a
 * new one, once.
 */
import { SafelightError, type AbortSignalLike, type Clock } from "@safelight/core"
import { createProcessPool, findProgram } from "@safelight/host"
import { DEFAULTS } from "./defaults.ts"
import { followWork } from "./follow-work.ts"
import { createUnavailable } from "./machine-trouble.ts"
import {
  toOutputTypes,
  type RenderJob,
  type RenderResult,
  type WorkEnd,
  type WorkOrder,
} from "./rendering-job.ts"
import { readOutput, toOutputFile } from "./work-folder.ts"

export interface RenderPool {
  /**
   * Renders one job, once a process is free. If the process dies the result says so. Rejects with `aborted` on
   * the signal, which ends the process, and once closed; and with `channel-unavailable` if no process can be
   * started. Once this has settled, no process writes to the job's folder.
   */
  render(request: RenderRequest): Promise<RenderResult>
  /** Ends every process. Call the jobs off first, or those still rendering break. */
  close(): Promise<void>
}

export interface RenderRequest {
  /** Whose job it is. */
  readonly account: string
  readonly job: RenderJob
  /** The rendering's own folder, for its results. */
  readonly folder: string
  readonly signal: AbortSignalLike
  /** 1 to 99, rising. */
  readonly report: (progress: number) => void
}

export interface RenderPoolOptions {
  /** Processes that any account's jobs may have at once; one more is for accounts that have none. */
  readonly workers: number
  readonly workerMemoryBytes: number
  readonly clock: Clock
}

export function createRenderPool(options: RenderPoolOptions): RenderPool {
  const { clock, workers, workerMemoryBytes } = options
  const pool = createProcessPool({
    program: findProgram("render-worker", import.meta.url),
    processes: workers,
    memoryBytes: workerMemoryBytes,
    heapBytes: DEFAULTS.workerHeapBytes,
    clock,
    toAborted: () =>
      new SafelightError({ code: "aborted", message: "the rendering was called off" }),
    toUnavailable: ({ how, cause }) =>
      createUnavailable(
        `no process that renders can be started; the last one ${how}. The next poll starts another.`,
        cause,
      ),
  })
  return {
    async render({ account, folder, job, report, signal }) {
      const worked = await pool.run({
        account,
        signal,
        order: { job, folder } satisfies WorkOrder,
        follow: (worker) => followWork({ worker, job, report }),
        isWorthRepeating: ({ kind }) => kind === "not-started",
      })
      return toResult(job, folder, worked)
    },
    close: () => pool.close(),
  }
}

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
