/**
 * What retention does to one finished task: its inputs are erased, its expiry is recorded, its bytes are removed, and
 * the moment of the next visit is set. The bytes come last, so that a bucket out of reach delays neither the
 * erasure of a prompt nor an expiry.
 */
import { lastExpiryAt, type StreamHead, type Task } from "@safelight/core"
import { checkDeployment, type DeploymentRefusal } from "../host/check-deployment.ts"
import type { Context } from "../host/context.ts"
import { areBytesDue, nextRetentionAt } from "../record/schedule.ts"

/** The removal of one task's bytes: a bucket that hangs must not hold a sweep. */
const REMOVE_MS = 30_000

/** Failures in a row after which the artifact storage counts as unavailable: as many as run at once. */
const MOST_FAILURES = 64

/** When a task is visited again if its bytes may belong to another database. */
const REFUSED_MS = 3_600_000

export interface RetainOptions {
  readonly now: number
  /** When the database was adopted; 0: never. */
  readonly adoptedAt: number
  /** Of the record of an expiry. */
  readonly maxTries: number
  /** Its counters grow by what was done. */
  readonly counts: { expired: number; removed: number; erased: number }
}

/** The removals of one sweep. */
export interface Removals {
  /** Removes what is due of a task, if that may be done. Rejects where it fails. */
  remove(task: Task, now: number): Promise<Removed>
  /** Tasks whose removal was not tried. */
  readonly skipped: number
  /** Why nothing may be removed; empty if it may, or nothing was to be removed. */
  readonly refusals: readonly DeploymentRefusal[]
}

export type Removed =
  | { readonly kind: "removed"; readonly count: number }
  /** Nothing was tried, since the storage is unavailable. */
  | { readonly kind: "skipped" }
  /** The bytes may be those of another database. */
  | { readonly kind: "refused" }

export function createRemovals(context: Context): Removals {
  let failures = 0
  let skipped = 0
  let refusals: readonly DeploymentRefusal[] = []
  let checking: Promise<boolean> | undefined

  async function check(): Promise<boolean> {
    const found = await checkDeployment(context)
    if (found.kind === "refused") ({ refusals } = found)
    return found.kind !== "refused"
  }

  /** Asked once a sweep; again if the answer failed. */
  async function mayRemove(): Promise<boolean> {
    const asked = (checking ??= check())
    try {
      return await asked
    } catch (error) {
      if (checking === asked) checking = undefined
      throw error
    }
  }

  async function remove(task: Task, now: number): Promise<Removed> {
    if (!(await mayRemove())) return { kind: "refused" }
    return { kind: "removed", count: await removeDue(context, task, now) }
  }

  return {
    async remove(task, now) {
      if (failures >= MOST_FAILURES) {
        skipped += 1
        return { kind: "skipped" }
      }
      try {
        const removed = await context.deadlines.run(REMOVE_MS, undefined, () => remove(task, now))
        failures = 0
        return removed
      } catch (error) {
        failures += 1
        throw error
      }
    },
    get skipped() {
      return skipped
    },
    get refusals() {
      return refusals
    },
  }
}

/** Brings one finished task up to `now` and sets the moment of the next visit. Safe to repeat. */
export async function retainTask(
  context: Context,
  removals: Removals,
  head: StreamHead,
  options: RetainOptions,
): Promise<void> {
  const { counts, now } = options
  const { settings, storage } = context
  const { finishedAt, id } = head.task
  if (now >= finishedAt + settings.inputRetentionMs) {
    if (await storage.eraseInputs(id, { keepsNames: true })) counts.erased += 1
  }
  const task = await expire(context, head, options)
  let heldUntil = toHeldUntil(context, task, options)
  if (now >= heldUntil && mayHaveBytes(context, task) && areBytesDue(task, settings, now)) {
    const removed = await removals.remove(task, now)
    if (removed.kind === "skipped") return
    if (removed.kind === "refused") heldUntil = now + REFUSED_MS
    else counts.removed += removed.count
  }
  const dueAt = nextRetentionAt(task, settings, now) ?? (now < heldUntil ? heldUntil : null)
  await storage.retain({ task: id, dueAt })
}

/** The task once its expiry is recorded, if that is due. */
async function expire(
  context: Context,
  head: StreamHead,
  { counts, maxTries, now }: RetainOptions,
): Promise<Task> {
  const { task } = head
  if (task.state !== "succeeded.available" || now < lastExpiryAt(task)) return task
  await context.probe("sweep:before-append", task.id)
  const options = { now, maxTries }
  const recorded = await context.recorder.recordFact(head, [{ kind: "expire" }], options)
  await context.probe("sweep:after-append", task.id)
  if (recorded.kind === "recorded") counts.expired += 1
  // Refused if a hold came first: then the artifacts are kept as it says.
  return recorded.kind === "superseded" ? task : recorded.head.task
}

/**
 * Until when nothing of a task may be removed: a database that was adopted shares the tasks from
 * before with the one that it is a copy of, and perhaps their artifacts.
 */
function toHeldUntil(
  { settings }: Context,
  { createdAt }: Task,
  { adoptedAt }: RetainOptions,
): number {
  return createdAt < adoptedAt ? adoptedAt + settings.adoptionHoldMs : 0
}

/**
 * Whether anything was ever stored for the task: outputs only after a channel was called, and before that
 * only videos that a request refers to, while they are measured.
 */
function mayHaveBytes({ taskModels }: Context, task: Task): boolean {
  if (task.attempt > 0) return true
  const model = taskModels.of(task)
  return model === undefined || Object.values(model.media).includes("video")
}

/** Removes what is outside the manifest, and expired bytes, once each has had its time. */
async function removeDue(
  { artifacts, probe, settings }: Context,
  task: Task,
  now: number,
): Promise<number> {
  const kept = task.artifacts.filter(({ expiresAt }) => now < expiresAt + settings.removeAfterMs)
  const keptLocators = new Set(kept.map(({ locator }) => locator))
  const surplus = (await artifacts.list(task.id)).filter((locator) => !keptLocators.has(locator))
  for (const locator of surplus) {
    await artifacts.remove(locator)
    await probe("sweep:after-remove", task.id)
  }
  return surplus.length
}
