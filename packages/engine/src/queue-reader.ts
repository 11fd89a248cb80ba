/**
 * Taking tasks from the queue as far as channels have room, model by model, earliest first; and
 * claims in advance for tasks submitted here, as long as nothing older waits for their model.
 */
import type { Claimed } from "@safelight/core"
import type { Context } from "./context.ts"
import type { Slot } from "./routing.ts"
import { createWork, type Work } from "./work.ts"

/** One round claims no more than this, so that others get their share of a large backlog. */
const CLAIM_LIMIT = 500

export interface HandOff {
  readonly term: { readonly claim: string; readonly until: number }
  readonly slot: Slot
  /** On the monotonic clock. */
  readonly heldUntil: number
}

export interface QueueReader {
  /** Claims what is due. Resolves to how long nothing more will be (ms); 0: look again at once. */
  read(): Promise<number>
  /** A claim in advance for a task of `model`; undefined where it must queue. */
  offer(model: string): HandOff | undefined
  /** Whether more tasks of `model` may be waiting than were claimed. */
  hasBacklog(model: string): boolean
}

export function createQueueReader(
  context: Context,
  models: readonly string[],
  claim: string,
  begin: (work: Work) => void,
): QueueReader {
  const { clock, routing, settings, storage } = context
  const backlog = new Set(models)
  /** On the monotonic clock: claims that ran out show only when claiming is tried. */
  let roundAt = 0

  /** Begins the work on a claimed task, or returns its id where no channel has room after all. */
  function take(claimed: Claimed, heldUntil: number): string[] {
    const { task } = claimed
    const isNew = task.state === "queued"
    const slot = isNew ? routing.take(task.model) : routing.rejoin(task.dispatch?.channel ?? "")
    if (slot === undefined) return [task.id]
    begin(createWork(claimed, { claim, heldUntil }, clock, { slot }))
    return []
  }

  /** Resolves to how many tasks were begun. */
  async function claimModel(model: string): Promise<number> {
    const limit = Math.min(routing.countFree(model), CLAIM_LIMIT)
    if (limit === 0) return 0
    const heldUntil = clock.monotonicNow() + settings.claimMs
    const now = clock.now()
    const until = now + settings.claimMs
    const claimed = await storage.claim({ models: [model], now, limit, claim, until })
    if (claimed.length < limit) backlog.delete(model)
    else backlog.add(model)
    const surplus = claimed.flatMap((each) => take(each, heldUntil))
    if (surplus.length > 0) {
      await storage.release({ claim, tasks: surplus, dueAt: now + settings.backoffMs })
    }
    return claimed.length - surplus.length
  }

  return {
    hasBacklog: (model) => backlog.has(model),
    async read() {
      const able = models.filter((model) => routing.countFree(model) > 0)
      const dueAt = able.length === 0 ? null : await storage.nextDueAt(able)
      const aheadMs = dueAt === null ? settings.idlePollMs : dueAt - clock.now()
      const isRoundDue = clock.monotonicNow() >= roundAt
      if (aheadMs > 0 && !isRoundDue) {
        for (const model of able) backlog.delete(model)
        return Math.min(aheadMs, settings.idlePollMs)
      }
      if (isRoundDue) roundAt = clock.monotonicNow() + settings.claimMs / 2
      const counts: number[] = []
      for (const model of able) counts.push(await claimModel(model))
      return counts.some((count) => count > 0) ? 0 : settings.idlePollMs
    },
    offer(model) {
      if (backlog.has(model)) return undefined
      const slot = routing.take(model)
      if (slot === undefined) {
        backlog.add(model)
        return undefined
      }
      const heldUntil = clock.monotonicNow() + settings.claimMs
      return { term: { claim, until: clock.now() + settings.claimMs }, slot, heldUntil }
    },
  }
}
