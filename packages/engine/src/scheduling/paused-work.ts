/**
 * What a paused channel has is followed to its end, also where nobody holds it any more: after a restart,
 * or a doubt. Models that no other channel has room for are not read as usual; of these due tasks are
 * taken, and no new ones. They join their channel, however full that is: they are there already.
 */
import type { Context } from "../host/context.ts"
import type { TakeTasks } from "./queue-reader.ts"
import type { Starter } from "./start-taken.ts"

export interface PausedWork {
  /** Takes on what is due, unless it did a moment ago. Rejects where the storage fails. */
  takeOn(): Promise<void>
}

export interface PausedWorkParts {
  readonly models: readonly string[]
  readonly starter: Starter
  readonly take: TakeTasks
}

/** At one look: more than a channel hands back in a moment. */
const TAKE_LIMIT = 100

export function createPausedWork(context: Context, parts: PausedWorkParts): PausedWork {
  const { clock, lease, routing, settings, storage } = context
  const { models, starter, take } = parts
  let lookAt = -Infinity

  return {
    async takeOn() {
      if (clock.monotonicNow() < lookAt) return
      const resting = models.filter((model) => routing.isResting(model))
      if (resting.length === 0) return
      lookAt = clock.monotonicNow() + settings.idlePollMs
      const now = clock.now()
      const { dueAt } = await storage.peekQueue({ models: resting, now, most: 1 })
      if (dueAt === null || dueAt > now) return
      const taking = lease.take()
      try {
        await starter.start(await take(resting, TAKE_LIMIT, true), taking)
      } finally {
        taking.end()
      }
    },
  }
}
