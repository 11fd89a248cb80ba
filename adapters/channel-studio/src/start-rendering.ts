/**
 * The course of one rendering: the sandbox's delay and verdict, the reference media, a worker.
 * However it ends, the end is data. Our faults and the machine's are logged, without a word of the
 * request, and only ours fail the task.
 */
import {
  isFailureCode,
  isSafelightError,
  type Clock,
  type FailureCode,
  type Log,
  type LogFields,
  type MediaInspector,
  type MediaSource,
  type SafelightError,
} from "@safelight/core"
import { LONGEST_WAIT_MS } from "./directives.ts"
import { loadReferenceMedia, type MediaLimits } from "./reference-media.ts"
import { isMachineTrouble } from "./machine-trouble.ts"
import type { RenderPool } from "./render-pool.ts"
import type { Rendering, RenderingEnd } from "./rendering.ts"
import { toDetail, type RenderJob } from "./rendering-job.ts"
import type { RequestPlan } from "./request-plan.ts"
import type { CreateWorkFolder, WorkFolder } from "./work-folder.ts"

export interface RenderingPorts {
  readonly pool: RenderPool
  readonly createFolder: CreateWorkFolder
  readonly media: MediaSource | undefined
  readonly inspector: MediaInspector | undefined
  readonly limits: MediaLimits
  readonly clock: Clock
  readonly log: Log
  /** Whether a process's claim that the machine has no room is accepted once more. */
  readonly acceptsClaim: () => Promise<boolean>
}

/** Resolves when `rendering` has ended; never rejects. */
export async function startRendering(
  ports: RenderingPorts,
  plan: RequestPlan,
  rendering: Rendering,
): Promise<void> {
  try {
    const end = await run(ports, plan, rendering)
    rendering.finish(end.kind === "claimed" ? await judgeClaim(ports, end.fields) : end)
  } catch (error) {
    rendering.finish(toEnd(ports.log, error))
  }
}

/** The process claims that the machine has no room. */
interface Claimed {
  readonly kind: "claimed"
  readonly fields: LogFields
}

async function judgeClaim(
  { acceptsClaim, log }: RenderingPorts,
  fields: LogFields,
): Promise<RenderingEnd> {
  if (await acceptsClaim()) {
    log.warn(fields, "rendering postponed")
    return { kind: "unavailable" }
  }
  log.error(fields, "rendering failed")
  return { kind: "refused", code: "internal_error" }
}

async function run(
  ports: RenderingPorts,
  plan: RequestPlan,
  rendering: Rendering,
): Promise<RenderingEnd | Claimed> {
  const { signal } = rendering
  const { delayMs, isStalled = false } = plan.directives
  const waitMs = isStalled ? LONGEST_WAIT_MS : delayMs
  if (waitMs !== undefined) await ports.clock.wait(waitMs, signal)
  if (signal.aborted) return { kind: "called-off" }
  if (isStalled) return { kind: "refused", code: "generation_timeout" }
  const verdict = judge(plan)
  if (verdict !== undefined) return verdict
  const folder = await ports.createFolder()
  try {
    return await render(ports, await toJob(ports, plan, rendering, folder), rendering, folder)
  } finally {
    await folder.remove()
  }
}

async function toJob(
  { clock, inspector, media: source, limits }: RenderingPorts,
  { directives, toJob: plan, urls }: RequestPlan,
  { account, signal }: Rendering,
  { path: folder }: WorkFolder,
): Promise<RenderJob> {
  if (directives.isCrashing === true) return { kind: "crash" }
  const request = { account, source, inspector, limits, urls, folder, signal, clock }
  return plan(await loadReferenceMedia(request))
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
): Promise<RenderingEnd | Claimed> {
  const { account, signal } = rendering
  const report = (progress: number): void => rendering.advance(progress)
  const result = await pool.render({ account, job, folder, signal, report })
  if (result.kind === "rendered") return result
  const { kind, detail } = result
  const fields = { kind: job.kind, detail }
  switch (kind) {
    case "broken":
      log.error(fields, "rendering failed")
      return { kind: "refused", code: "internal_error" }
    case "not-started":
      log.warn(fields, "rendering postponed")
      return { kind: "unavailable" }
    case "unavailable":
      return { kind: "claimed", fields }
    case "refused":
      if (detail !== undefined) log.warn(fields, "rendering ended")
      return { kind, code: result.code }
  }
}

function toEnd(log: Log, error: unknown): RenderingEnd {
  if (isSafelightError(error)) {
    if (error.code === "aborted") return { kind: "called-off" }
    if (isFailureCode(error.code))
      return { kind: "refused", code: error.code satisfies FailureCode }
  }
  if (isMachineTrouble(error) || isUnavailable(error)) {
    const { cause = error } = error
    log.warn({ detail: toDetail(cause) }, "rendering postponed")
    return { kind: "unavailable" }
  }
  log.error({ detail: toDetail(error) }, "rendering not started")
  return { kind: "refused", code: "internal_error" }
}

/** The machine's trouble, ours or the inspector's. */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  "channel-unavailable",
  "inspector-unavailable",
])

function isUnavailable(error: unknown): error is SafelightError {
  return isSafelightError(error) && UNAVAILABLE_CODES.has(error.code)
}
