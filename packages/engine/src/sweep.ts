/**
 * What time does to tasks, done whenever somebody calls: tasks past their end fail, artifacts past
 * their expiry are recorded as expired and their bytes removed a day later, orphans of crashed
 * collections go, prompts and other inputs are erased, old idempotency keys are forgotten. Every node
 * may sweep at once; the version fence sorts it out.
 */
import { isSafelightError, lastExpiryAt, type StreamHead } from "@safelight/core"
import type { Context } from "./context.ts"
import { endOverdue, LEFT_TO_OTHERS_MS, toUnheld, type Ended } from "./overdue.ts"
import { nextRetentionAt } from "./schedule.ts"

export interface SweepReport {
  /** Tasks failed because their time was up. */
  readonly timedOut: number
  /** Tasks whose last artifact expired. */
  readonly expired: number
  /** Stored objects removed: expired artifacts and orphans. */
  readonly removed: number
  /** Tasks whose prompt and other inputs were erased. */
  readonly erased: number
  /** Idempotency keys that stand for their task no longer. */
  readonly forgotten: number
  /** Tasks that could not be tended now; the next sweep finds them again. */
  readonly failed: number
}

/** Tasks read at a time. */
const PAGE = 200

/** Tasks visited at once: each may wait seconds for a channel or a bucket that is silent. */
const VISITS = 16

/** Keys forgotten in one commit: submissions wait for it, so it must be short. */
const FORGOTTEN_PAGE = 500

/** One task's end: a bucket or a channel that is slow must not keep all others waiting for ever. */
const VISIT_MS = 300_000

/** Tries to record a fact, some seconds in all: a storage that was restarted is back by then. */
const TRIES = 5

/** One sweep on its way. */
interface Round {
  readonly now: number
  readonly report: { -readonly [Count in keyof SweepReport]: SweepReport[Count] }
  /** When the database was adopted; 0: never. */
  readonly adoptedAt: number
  /** For the facts still to come: a storage that used all of them up once gets one each from then on. */
  tries: number
}

/** Does all that is due at `now` (ms). Rejects only where the storage does not answer. */
export async function sweep(context: Context, now: number): Promise<SweepReport> {
  const report = { timedOut: 0, expired: 0, removed: 0, erased: 0, forgotten: 0, failed: 0 }
  const { adoptedAt } = await context.storage.readDeployment()
  const base = { now, report, adoptedAt, tries: TRIES }
  // At once: a bucket that does not answer must not keep tasks from their end.
  const chores = await Promise.allSettled([
    endAllOverdue(context, { ...base }),
    retainAll(context, { ...base }),
  ])
  for (const chore of chores) if (chore.status === "rejected") throw chore.reason
  report.forgotten = await forgetIdempotency(context, now)
  return report
}

async function endAllOverdue(context: Context, round: Round): Promise<void> {
  const { now, report } = round
  const heldUntil = now - LEFT_TO_OTHERS_MS
  const find = (limit: number) => context.storage.findOverdue({ now, heldUntil, limit })
  await eachDue(context, find, round, async (head) => {
    await context.probe("sweep:before-append", head.task.id)
    const ended = await endOne(context, head, round)
    await context.probe("sweep:after-append", head.task.id)
    if (ended === "timed-out") report.timedOut += 1
    return ended !== "left"
  })
}

function endOne(context: Context, head: StreamHead, { now, tries }: Round): Promise<Ended> {
  const work = toUnheld(context, head)
  return context.deadlines.run(VISIT_MS, undefined, (signal) => {
    signal.addEventListener("abort", () => work.ending.abort())
    return endOverdue(context, work, { now, maxTries: tries })
  })
}

async function retainAll(context: Context, round: Round): Promise<void> {
  const { now, report } = round
  const find = (limit: number) => context.storage.findRetained({ now, limit })
  await eachDue(context, find, round, async (head) => {
    const tended = await tend(context, head, round)
    report.expired += tended.expired
    report.removed += tended.removed
    report.erased += tended.isErased ? 1 : 0
    return true
  })
}

async function forgetIdempotency({ settings, storage }: Context, now: number): Promise<number> {
  const usedBefore = now - settings.idempotencyMs
  for (let forgotten = 0; ;) {
    const count = await storage.forgetIdempotency({ usedBefore, limit: FORGOTTEN_PAGE })
    forgotten += count
    if (count < FORGOTTEN_PAGE) return forgotten
  }
}

/** Visits all that `find` finds; `visit` resolves to whether the task is due no more. */
async function eachDue(
  context: Context,
  find: (limit: number) => Promise<readonly StreamHead[]>,
  round: Round,
  visit: (head: StreamHead) => Promise<boolean>,
): Promise<void> {
  const { report } = round
  /** What stays due: looked at once, also where a row of the queue says otherwise than its task. */
  const seen = new Set<string>()

  /** Resolves to whether to go on; false the first time that the storage fails. */
  async function visitOne(head: StreamHead): Promise<boolean> {
    const { id } = head.task
    seen.add(id)
    try {
      if (await visit(head)) seen.delete(id)
    } catch (error) {
      // Ours or the outside's: one task must not keep the others waiting.
      report.failed += 1
      const level = isSafelightError(error) ? "warn" : "error"
      context.log[level]({ task: id, error }, "a task could not be tended")
      if (round.tries === 1 || !isFromStorage(error)) return true
      round.tries = 1
      // This task's own trouble, or the whole storage's: the next look at it shows.
      return false
    }
    return true
  }

  for (;;) {
    const heads = await find(PAGE + seen.size)
    const fresh = heads.filter(({ task }) => !seen.has(task.id))
    if (fresh.length === 0) return
    for (let from = 0; from < fresh.length; from += VISITS) {
      const visited = await Promise.all(fresh.slice(from, from + VISITS).map(visitOne))
      if (!visited.every(Boolean)) break
    }
  }
}

function isFromStorage(error: unknown): boolean {
  return isSafelightError(error) && error.code === "storage-unavailable"
}

/** Brings one finished task up to `now` and sets when it is looked at next. Safe to repeat. */
async function tend(
  context: Context,
  head: StreamHead,
  round: Round,
): Promise<{ readonly expired: number; readonly isErased: boolean; readonly removed: number }> {
  const { now, tries } = round
  const { settings, storage } = context
  const { finishedAt, id } = head.task
  const isErased =
    now >= finishedAt + settings.inputRetentionMs &&
    (await storage.eraseInputs(id, { keepsIdempotency: true }))
  let current = head
  const isExpired = head.task.state === "succeeded.available" && now >= lastExpiryAt(head.task)
  if (isExpired) {
    await context.probe("sweep:before-append", head.task.id)
    const options = { now, maxTries: tries }
    const recorded = await context.recorder.recordFact(head, [{ kind: "expire" }], options)
    await context.probe("sweep:after-append", head.task.id)
    if (recorded.kind === "recorded") current = recorded.head
  }
  // Last: a bucket that is out of reach keeps no prompt and hides no expiry.
  const heldUntil = toHeldUntil(context, head, round)
  const removed = now < heldUntil ? 0 : await removeDue(context, head, now)
  const dueAt = nextRetentionAt(current.task, settings, now) ?? (now < heldUntil ? heldUntil : null)
  await storage.retain({ task: id, dueAt })
  return { expired: isExpired ? 1 : 0, isErased, removed }
}

/**
 * Until when nothing of a task may be removed: a database that was adopted shares the tasks from
 * before with the one that it is a copy of, and perhaps their artifacts.
 */
function toHeldUntil({ settings }: Context, { task }: StreamHead, { adoptedAt }: Round): number {
  return task.createdAt < adoptedAt ? adoptedAt + settings.adoptionHoldMs : 0
}

/** Removes what is outside the manifest, and expired bytes, once each has had its time. */
async function removeDue(context: Context, { task }: StreamHead, now: number): Promise<number> {
  const { artifacts, settings } = context
  if (now < task.finishedAt + settings.removeAfterMs) return 0
  const kept = task.artifacts.filter(({ expiresAt }) => now < expiresAt + settings.removeAfterMs)
  const keptLocators = new Set(kept.map(({ locator }) => locator))
  const surplus = (await artifacts.list(task.id)).filter((locator) => !keptLocators.has(locator))
  for (const locator of surplus) {
    await artifacts.remove(locator)
    await context.probe("sweep:after-remove", task.id)
  }
  return surplus.length
}
