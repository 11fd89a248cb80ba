/**
 * What a paused channel has is followed to its end, also where nobody holds it any more: after a restart,
 * or a doubt. Models that no other channel has room for are not read as usual; of these what waits for
 * its moment is taken, and no start. It joins its channel, however full that is: it is there already.
 */
import type { Claimed } from "@safelight/core"
import type { Context } from "./context.ts"
import type { Starter } from "./start-claimed.ts"

export interface PausedWork {
  /** Takes on what is due, unless it did a moment ago. Rejects where the storage fails. */
  takeOn(): Promise<void>
}

export interface PausedWorkParts {
  readonly models: readonly string[]
  readonly starter: Starter
  /** Claims what is due, without starts. */
  readonly claim: (
    claim: string,
    models: readonly string[],
    limit: number,
  ) => Promise<readonly Claimed[]>
}

/** At one look: more than a channel hands back in a moment. */
const CLAIM_LIMIT = 100

export function createPausedWork(context: Context, parts: PausedWorkParts): PausedWork {
  const { claims, clock, routing, settings, storage } = context
  const { claim, models, starter } = parts
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
      const taking = claims.take()
      try {
        const claimed = await claim(taking.claim, resting, CLAIM_LIMIT)
        await starter.start(claimed, taking.heldUntil)
      } finally {
        taking.end()
      }
    },
  }
}
