/**
 * Holding: the account of a finished task keeps its artifacts longer, up to what it may. The hold is an event,
 * since it changes what the log says of their expiry; if a sweep records the expiry at the same moment, the
 * first of the two is in the log and the other finds it there.
 */
import {
  isTerminal,
  keepsLonger,
  lastExpiryAt,
  NO_LIMITS,
  type HoldRefusal,
  type HoldRequest,
  type HoldResult,
  type Task,
} from "@safelight/core"
import type { Context } from "../host/context.ts"

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
    // As the event would have it.
    const at = Math.max(clock.now(), task.updatedAt)
    const lost = findLost(task, at)
    if (lost !== undefined) return { kind: "refused", refusal: lost }
    if (!keepsLonger(task.artifacts, until, at)) return toHeld(context, task)
    const refusal = await findLimit(context, task, until)
    if (refusal !== undefined) return { kind: "refused", refusal }
    const recorded = await recorder.recordIntent(head, { kind: "hold", until })
    if (recorded.kind === "recorded") return toHeld(context, recorded.head.task)
    // Another hold or the expiry came first, or its moment has passed by now.
  }
}

async function toHeld({ storage }: Context, task: Task): Promise<HoldResult> {
  return { kind: "held", task, artifacts: await storage.readArtifacts(task.id) }
}

function findLost(task: Task, at: number): HoldRefusal | undefined {
  if (!isTerminal(task)) return { code: "not-finished" }
  if (task.state === "failed") return { code: "failed" }
  const isOver = task.state === "succeeded.expired" || at >= lastExpiryAt(task)
  return isOver ? { code: "expired" } : undefined
}

async function findLimit(
  { storage }: Context,
  { account: id, finishedAt }: Task,
  until: number,
): Promise<HoldRefusal | undefined> {
  const { maxRetentionMs } = (await storage.findAccount(id)) ?? NO_LIMITS
  if (maxRetentionMs === 0) return { code: "not-allowed" }
  const latestAt = finishedAt + maxRetentionMs
  return until > latestAt ? { code: "too-long", latestAt } : undefined
}
