/**
 * The course of one rendering: the sandbox's delay and verdict, the reference media, a worker.
 * Whatever happens ends it as data; only what is our fault is logged, without a word of the
 * request.
 */
import {
  isFailureCode,
  isSafelightError,
  type Clock,
  type FailureCode,
  type Log,
  type MediaSource,
} from "@safelight/core"
import { LONGEST_WAIT_MS } from "./directives.ts"
import { loadReferenceMedia, type MediaLimits } from "./reference-media.ts"
import type { RenderPool } from "./render-pool.ts"
import type { Rendering, RenderingEnd } from "./rendering.ts"
import { toDetail, type RenderJob } from "./rendering-job.ts"
import type { RequestPlan } from "./request-plan.ts"
import { createWorkFolder, type WorkFolder } from "./work-folder.ts"

export interface RenderingPorts {
  readonly pool: RenderPool
  readonly media: MediaSource
  readonly limits: MediaLimits
  readonly clock: Clock
  readonly log: Log
}

/** Resolves when `rendering` has ended; never rejects. */
export async function startRendering(
  ports: RenderingPorts,
  plan: RequestPlan,
  rendering: Rendering,
): Promise<void> {
  try {
    rendering.finish(await run(ports, plan, rendering))
  } catch (error) {
    rendering.finish(toEnd(ports.log, error))
  }
}

async function run(
  ports: RenderingPorts,
  plan: RequestPlan,
  rendering: Rendering,
): Promise<RenderingEnd> {
  const { signal } = rendering
  const { delayMs, isStalled = false } = plan.directives
  const waitMs = isStalled ? LONGEST_WAIT_MS : delayMs
  if (waitMs !== undefined) await ports.clock.wait(waitMs, signal)
  if (signal.aborted) return { kind: "called-off" }
  if (isStalled) return { kind: "refused", code: "generation_timeout" }
  const verdict = judge(plan)
  if (verdict !== undefined) return verdict
  const folder = await createWorkFolder()
  try {
    return await render(ports, await toJob(ports, plan, rendering, folder), rendering, folder)
  } finally {
    await folder.remove()
  }
}

async function toJob(
  { clock, media: source, limits }: RenderingPorts,
  { directives, toJob: plan, urls }: RequestPlan,
  { signal }: Rendering,
  { path: folder }: WorkFolder,
): Promise<RenderJob> {
  if (directives.isCrashing === true) return { kind: "crash" }
  return plan(await loadReferenceMedia({ source, limits, urls, folder, signal, clock }))
}

/** What the sandbox's directives decide before anything is rendered. */
function judge({ directives, isSafetyCheckerOn, billed }: RequestPlan): RenderingEnd | undefined {
  const { failure, isUnsafe = false, needsChecker = false } = directives
  if (needsChecker && !isSafetyCheckerOn)
    return { kind: "refused", code: "safety_checker_required" }
  if (isUnsafe && isSafetyCheckerOn) return { kind: "refused", code: "content_policy_violation" }
  if (failure === undefined) return undefined
  const { code, isBilled } = failure
  return isBilled ? { kind: "refused", code, billed } : { kind: "refused", code }
}

async function render(
  { pool, log }: RenderingPorts,
  job: RenderJob,
  rendering: Rendering,
  { path: folder }: WorkFolder,
): Promise<RenderingEnd> {
  const { account, signal } = rendering
  const report = (progress: number): void => rendering.advance(progress)
  const result = await pool.render({ account, job, folder, signal, report })
  if (result.kind === "broken") {
    log.error({ kind: job.kind, detail: result.detail }, "a rendering failed")
    return { kind: "refused", code: "internal_error" }
  }
  if (result.kind === "rendered") return result
  const { code, detail } = result
  if (detail !== undefined) log.warn({ kind: job.kind, detail }, "a rendering was ended")
  return { kind: "refused", code }
}

function toEnd(log: Log, error: unknown): RenderingEnd {
  if (isSafelightError(error)) {
    if (error.code === "aborted") return { kind: "called-off" }
    if (isFailureCode(error.code))
      return { kind: "refused", code: error.code satisfies FailureCode }
  }
  log.error({ detail: toDetail(error) }, "a rendering could not be started")
  return { kind: "refused", code: "internal_error" }
}
