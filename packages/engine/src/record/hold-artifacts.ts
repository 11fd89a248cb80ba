/**
 * Holds: an account keeps the artifacts of a finished task longer, up to its limit. A hold is an event, since it
 * changes their expiry in the log. If a sweep records the expiry at the same moment, the first of the two is in the
 * log and the other is refused. A hold is rounded up to a step, so that no task gets many.
 */
import {
  isTerminal,
  keepsLonger,
  lastExpiryAt,
  NO_LIMITS,
  toArtifacts,
  type HoldRefusal,
  type HoldRequest,
  type HoldResult,
  type Task,
} from "@safelight/core"
import type { Context } from "../host/context.ts"

const SHORTEST_STEP_MS = 3_600_000
/** A step is at least this part of what the account may hold, so that a task has a hundred holds at most. */
const MOST_STEPS = 100

/** Undefined if the account has no such task. Rejects as the storage does: it is safe to call again. */
export async function holdArtifacts(
  context: Context,
  { account, id, until }: HoldRequest,
): Promise<HoldResult | undefined> {
  const { clock, recorder, storage } = context
  await clock.ready()
  for (;;) {
    const head = await storage.readTask(id)
    if (head?.task.account !== account) return undefined
    const { task } = head
    // The moment that the event would record.
    const at = Math.max(clock.now(), task.updatedAt)
    const lost = findLost(task, at)
    if (lost !== undefined) return { kind: "refused", refusal: lost }
    if (!keepsLonger(task.artifacts, until, at)) return toHeld(task)
    const wanted = await findMoment(context, task, { at, until })
    if (wanted.kind === "refused") return wanted
    const recorded = await recorder.recordIntent(head, { kind: "hold", until: wanted.until })
    if (recorded.kind === "recorded") return toHeld(recorded.head.task)
    // Another hold or the expiry came first, or its moment has passed by now.
  }
}

function toHeld(task: Task): HoldResult {
  return { kind: "held", task, artifacts: toArtifacts(task) }
}

function findLost(task: Task, at: number): HoldRefusal | undefined {
  if (!isTerminal(task)) return { code: "not-finished" }
  if (task.state === "failed") return { code: "failed" }
  const isOver = task.state === "succeeded.expired" || at >= lastExpiryAt(task)
  return isOver ? { code: "expired" } : undefined
}

type Moment =
  | { readonly kind: "moment"; readonly until: number }
  | { readonly kind: "refused"; readonly refusal: HoldRefusal }

/** Until when to hold them: as asked for, or a step longer than they are kept, as far as the account may. */
async function findMoment(
  { storage }: Context,
  { account: id, artifacts, finishedAt }: Task,
  { at, until }: { readonly at: number; readonly until: number },
): Promise<Moment> {
  const { maxRetentionMs } = (await storage.findAccount(id)) ?? NO_LIMITS
  if (maxRetentionMs === 0) return { kind: "refused", refusal: { code: "not-allowed" } }
  const latestAt = finishedAt + maxRetentionMs
  if (until > latestAt) return { kind: "refused", refusal: { code: "too-long", latestAt } }
  const live = artifacts.map(({ expiresAt }) => expiresAt).filter((expiresAt) => expiresAt > at)
  const stepMs = Math.max(SHORTEST_STEP_MS, Math.ceil(maxRetentionMs / MOST_STEPS))
  const steppedAt = Math.min(Math.min(...live) + stepMs, latestAt)
  return { kind: "moment", until: Math.max(until, steppedAt) }
}
