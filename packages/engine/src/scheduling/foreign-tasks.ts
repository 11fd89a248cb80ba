/**
 * Tasks that were taken and are not for this node: it lacks their model or their price, or none of its
 * channels can express what they ask for. They are left to other nodes before anything is sent; those
 * that can't be settled here also while they are under way.
 */
import type { Context } from "../host/context.ts"
import { canSettle, toLack } from "../record/settlement.ts"
import { findParameters } from "../record/request-input.ts"
import type { Work } from "../work/work.ts"

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
  /** What was lacking here so far: each is logged once. */
  const told = new Set<string>()
  let leftAt = -Infinity

  return {
    async isForeign(work) {
      const { id } = work
      const lack = await findLack(context, work)
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

/** A model that is not served any more gets nothing new, and what was asked of a channel for it is followed. */
async function findLack(context: Context, work: Work): Promise<string | undefined> {
  const { task } = work.head
  await context.taskModels.find(task)
  const isServed = task.state !== "queued" || context.models.has(task.model)
  return isServed && canSettle(context, task) ? explainLack(context, work) : toLack(task)
}

/** Why no channel of this process takes a task that waits, as `fal: resolution 1080p is not offered`. */
async function explainLack(context: Context, work: Work): Promise<string | undefined> {
  const { model, refusedBy, state } = work.head.task
  const isChoosy = refusedBy !== undefined || context.routing.isChoosy(model)
  if (state !== "queued" || !isChoosy) return undefined
  const parameters = await findParameters(context, work)
  if (parameters === undefined) return undefined
  const refusals = context.routing.findRefusals({ model, parameters }, refusedBy)
  if (refusals.length === 0) return undefined
  return refusals
    .map(({ channel, ineligible }) => `${channel.name}: ${ineligible.reason}`)
    .join("; ")
}
