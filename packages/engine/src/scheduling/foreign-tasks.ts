/**
 * Tasks that were taken and are not for this node: it lacks their model or their price table, or none of its
 * channels can express what they ask for. They are left to other nodes before anything is sent; those
 * that can't be settled here also while they are under way.
 */
import type { Context } from "../context.ts"
import { explainLack } from "../eligibility.ts"
import { canSettle, toLack } from "../settlement.ts"
import type { Work } from "../work.ts"

export interface ForeignTasks {
  /** Resolves to whether the task is one. */
  isForeign(work: Work): Promise<boolean>
  /** How long what is due is left to other nodes first, ms. */
  holdBackMs(): number
}

/** So often others look at the queue before a node that has left tasks to them. */
const HOLD_BACK_POLLS = 3

export function createForeignTasks(context: Context): ForeignTasks {
  const { clock, log, settings } = context
  /** What was lacking here so far: each is told once. */
  const told = new Set<string>()
  let leftAt = -Infinity

  return {
    async isForeign(work) {
      const { head, id } = work
      const lack = canSettle(context, head.task)
        ? await explainLack(context, work)
        : toLack(head.task)
      if (lack === undefined) return false
      if (!told.has(lack)) {
        log.error({ task: id, lack }, "tasks left to other nodes")
        told.add(lack)
      }
      leftAt = clock.monotonicNow()
      return true
    },
    /** Else it would win them again and again, as they are due at a moment that it named itself. */
    holdBackMs() {
      const isRecent = clock.monotonicNow() - leftAt < 2 * settings.backoffMaxMs
      return isRecent ? HOLD_BACK_POLLS * settings.idlePollMs : 0
    },
  }
}
