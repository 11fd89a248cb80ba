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
import type { Gate } from "./gate.ts"
import { loadReferenceMedia, type MediaLimits, type ReferenceMedia } from "./reference-media.ts"
import type { RenderPool } from "./render-pool.ts"
import type { Rendering, RenderingEnd } from "./rendering.ts"
import { toDetail, type RenderJob } from "./rendering-job.ts"
import type { RequestPlan } from "./request-plan.ts"

export interface RenderingPorts {
  readonly pool: RenderPool
  readonly media: MediaSource
  readonly limits: MediaLimits
  /** Bounds how many requests hold media in memory. */
  readonly gate: Gate
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
  const { delayMs } = plan.directives
  if (delayMs !== undefined) await ports.clock.wait(delayMs, signal)
  if (signal.aborted) return { kind: "called-off" }
  const verdict = judge(plan)
  if (verdict !== undefined) return verdict
  if (plan.directives.isCrashing === true) return render(ports, { kind: "crash" }, rendering)
  const { images, videos, audios } = plan.urls
  if (images.length + videos.length + audios.length === 0) {
    return render(ports, plan.toJob({ images: [], videos: [], audios: [] }), rendering)
  }
  const leave = await ports.gate.enter(signal)
  try {
    if (signal.aborted) return { kind: "called-off" }
    return await render(ports, plan.toJob(await load(ports, plan, rendering)), rendering)
  } finally {
    leave()
  }
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

function load(
  { media: source, limits }: RenderingPorts,
  { urls }: RequestPlan,
  { signal }: Rendering,
): Promise<ReferenceMedia> {
  return loadReferenceMedia({ source, limits, urls, signal })
}

async function render(
  { pool, log }: RenderingPorts,
  job: RenderJob,
  rendering: Rendering,
): Promise<RenderingEnd> {
  const { signal } = rendering
  const result = await pool.render({ job, signal, report: (value) => rendering.advance(value) })
  if (result.kind !== "broken") return result
  log.error({ kind: job.kind, detail: result.detail }, "a rendering failed")
  return { kind: "refused", code: "internal_error" }
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
