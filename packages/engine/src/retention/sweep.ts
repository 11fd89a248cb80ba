/**
 * A sweep does everything that is due to tasks because time has passed. The overdue part ends tasks past their
 * `endBy`; the retention part records expiry, removes bytes and orphans, erases inputs, forgets idempotency
 * keys and old entries of feeds, and sums the hours that are over. The two run at once and share nothing. Every node may
 * sweep at once: the version of a task decides which of them ends it.
 */
import { isSafelightError, type StreamHead } from "@safelight/core"
import { checkDeployment } from "../host/check-deployment.ts"
import type { Context } from "../host/context.ts"
import { endOverdue, LEFT_TO_OTHERS_MS, toUnheld, type Ended } from "../work/overdue.ts"
import { createRemovals, retainTask } from "./retain-task.ts"
import { visitDue } from "./visit-due.ts"

export interface SweepReport {
  /** Tasks failed because their time was up. */
  readonly timedOut: number
  /** Tasks whose last artifact expired. */
  readonly expired: number
  /** Stored objects removed: expired artifacts and orphans. */
  readonly removed: number
  /** Tasks whose prompt and other inputs were erased. */
  readonly erased: number
  /** Idempotency keys that were forgotten. */
  readonly forgotten: number
  /** Tasks whose sweep failed; the next one finds them again. */
  readonly failed: number
}

/** `overdue` must not wait for `retention`, whose bucket may take minutes to fail. */
export type SweepPart = "overdue" | "retention"

/** Keys or entries of feeds forgotten in one commit: submissions wait for it, so it must be short. */
const FORGOTTEN_PAGE = 500

/** An outcome that comes later has its hour summed once more, and is in every sum all the same. */
const HOUR_OVER_MS = 600_000

/** Hours summed by one sweep, while a database has older ones that are not: those of a year within hours. */
const SUMMED_HOURS = 48

/** The end of one task, which may have a result to be stored. */
const VISIT_MS = 300_000

/** The mark of the artifact storage, which may not answer. */
const RECORD_MS = 10_000

/** How often another process has the turn for work that one does for all. */
const ROUND_MS = 60_000

/** Tries to record a fact, some seconds in all: a storage that was restarted is back by then. */
const TRIES = 5

/** One part of a sweep. */
interface Round {
  readonly now: number
  readonly report: { -readonly [Count in keyof SweepReport]: SweepReport[Count] }
  /** For the facts still to come: once a fact has used all of them up, the others get one each. */
  tries: number
}

/**
 * Does all that is due, or one part of it: at `now` (ms), or by the engine's clocks. Rejects only if the storage
 * does not answer.
 */
export async function sweep(
  context: Context,
  now: number | undefined,
  part?: SweepPart,
): Promise<SweepReport> {
  const report = { timedOut: 0, expired: 0, removed: 0, erased: 0, forgotten: 0, failed: 0 }
  const parts: Promise<void>[] = []
  if (part !== "retention") {
    const endsAt = now ?? context.clock.judgedNow()
    parts.push(endAllOverdue(context, { now: endsAt, report, tries: TRIES }))
  }
  if (part !== "overdue") parts.push(retain(context, now, report))
  await settleAll(parts)
  return report
}

async function retain(
  context: Context,
  givenNow: number | undefined,
  report: Round["report"],
): Promise<void> {
  const now = givenNow ?? (await context.removalClock.now())
  const toRound = (): Round => ({ now, report, tries: TRIES })
  await settleAll([
    retainAll(context, toRound()),
    forgetIdempotency(context, toRound()),
    forgetFeeds(context, now),
    sumHours(context, now),
  ])
}

/** Rejects with the first failure once all of them have ended. */
async function settleAll(parts: readonly Promise<void>[]): Promise<void> {
  for (const each of await Promise.allSettled(parts)) {
    if (each.status === "rejected") throw each.reason
  }
}

async function endAllOverdue(context: Context, round: Round): Promise<void> {
  const { now, report } = round
  const heldUntil = now - LEFT_TO_OTHERS_MS
  await visitDue(context, {
    find: (limit) => context.storage.findOverdue({ now, heldUntil, limit }),
    async visit(head) {
      await context.probe("sweep:before-append", head.task.id)
      const ended = await endOne(context, head, round)
      await context.probe("sweep:after-append", head.task.id)
      if (ended === "timed-out") report.timedOut += 1
    },
    onFailure: (error) => noteFailure(round, error),
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
  const { adoptedAt, standing } = await context.storage.readDeployment()
  // Recorded before anything is due, so that a copy of the database that is made later is recognised.
  if (standing === "new") await recordDeployment(context)
  const removals = createRemovals(context)
  await visitDue(context, {
    find: (limit) => context.storage.findRetained({ now, limit }),
    async visit(head) {
      const { tries } = round
      await retainTask(context, removals, head, { adoptedAt, now, maxTries: tries, counts: report })
    },
    onFailure: (error) => noteFailure(round, error),
  })
  const { refusals, skipped } = removals
  report.failed += skipped
  if (skipped > 0) {
    context.log.warn({ tasks: skipped }, "artifact storage unavailable")
  }
  if (refusals.length > 0) context.log.warn({ refusals, advice: ADOPT }, "removal refused")
}

const ADOPT =
  "the bytes may be another database's, so none are removed: open the original with its own artifacts, or adopt this one (checkDeployment with adopt, `serve --adopt`)"

/** A bucket that is out of reach delays the record, and neither erasing nor expiry. */
async function recordDeployment(context: Context): Promise<void> {
  try {
    await context.deadlines.run(RECORD_MS, undefined, () => checkDeployment(context))
  } catch (error) {
    if (!isSafelightError(error)) throw error
    context.log.warn({ error }, "deployment not recorded")
  }
}

/**
 * Counts the failure. If the storage failed, it may have failed for this task alone: the next read of the storage
 * shows that. Resolves to true once.
 */
function noteFailure(round: Round, error: unknown): boolean {
  round.report.failed += 1
  const isFromStorage = isSafelightError(error) && error.code === "storage-unavailable"
  if (!isFromStorage || round.tries === 1) return false
  round.tries = 1
  return true
}

async function forgetIdempotency(
  { settings, storage }: Context,
  { now, report }: Round,
): Promise<void> {
  const usedBefore = now - settings.idempotencyMs
  for (;;) {
    const count = await storage.forgetIdempotency({ usedBefore, limit: FORGOTTEN_PAGE })
    report.forgotten += count
    if (count < FORGOTTEN_PAGE) return
  }
}

async function forgetFeeds(context: Context, now: number): Promise<void> {
  const { settings, storage } = context
  const before = now - settings.feedMs
  for (const { account } of await storage.listFeeds()) {
    if (!hasTurn(context, now, `feed:${account}`)) continue
    let count: number
    do count = await storage.forgetFeed({ account, now, before, limit: FORGOTTEN_PAGE })
    while (count === FORGOTTEN_PAGE)
  }
}

/** Sums that are not kept are made when they are asked for: so while many others wait, keeping them can wait too. */
async function sumHours(context: Context, now: number): Promise<void> {
  if (!hasTurn(context, now, "hours")) return
  try {
    await context.storage.sumHours({ endedBefore: now - HOUR_OVER_MS, limit: SUMMED_HOURS })
  } catch (error) {
    if (!isSafelightError(error) || error.code !== "overloaded") throw error
  }
}

/**
 * Of the processes that work one has it, another one in most minutes: not all of them may sweep. So has a process that
 * has seen no lease.
 */
function hasTurn({ shares }: Context, now: number, work: string): boolean {
  const round = Math.floor(now / ROUND_MS)
  return shares.turn() === undefined || shares.ofSeen(`${work}:${round}`, 1) > 0
}
