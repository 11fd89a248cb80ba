/**
 * What a channel has is followed to its end also where nothing new is taken of its model, and nobody holds it any
 * more, as after a restart or a doubt: where the channel is paused and no other one has room, and where the model
 * is not served any more. Of these models due tasks are taken, and no new ones. They join their channel, however
 * full that is: they are there already.
 */
import type { Context } from "../host/context.ts"
import type { TakeTasks } from "./queue-reader.ts"
import type { Starter } from "./start-taken.ts"

export interface FollowedWork {
  /** Takes on what is due, unless it did a moment ago. Rejects where the storage fails. */
  takeOn(): Promise<void>
}

export interface FollowedWorkParts {
  /** Those that are served. */
  readonly models: readonly string[]
  readonly starter: Starter
  readonly take: TakeTasks
}

/** At one look: more than a channel hands back in a moment. */
const TAKE_LIMIT = 100

/** Every unfinished task is counted for it, and it happens at restarts without a model that others may still have. */
const FORMER_MODELS_MS = 300_000

export function createFollowedWork(context: Context, parts: FollowedWorkParts): FollowedWork {
  const { clock, lease, routing, settings, storage } = context
  const { models, starter, take } = parts
  let lookAt = -Infinity
  let former: readonly string[] = []
  let formerAt = -Infinity

  async function listFormer(): Promise<readonly string[]> {
    if (clock.monotonicNow() < formerAt) return former
    const measures = await storage.measureQueue()
    former = measures.map(({ model }) => model).filter((model) => !models.includes(model))
    formerAt = clock.monotonicNow() + FORMER_MODELS_MS
    return former
  }

  return {
    async takeOn() {
      if (clock.monotonicNow() < lookAt) return
      const resting = models.filter((model) => routing.isResting(model))
      const followed = [...resting, ...(await listFormer())]
      if (followed.length === 0) return
      lookAt = clock.monotonicNow() + settings.idlePollMs
      const now = clock.now()
      const { dueAt } = await storage.peekQueue({ models: followed, now, most: 1 })
      if (dueAt === null || dueAt > now) return
      const taking = lease.take()
      try {
        await starter.start(await take(followed, TAKE_LIMIT, true), taking)
      } finally {
        taking.end()
      }
    },
  }
}
