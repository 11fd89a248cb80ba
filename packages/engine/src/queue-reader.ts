/**
 * Taking tasks from the queue as far as channels and accounts have room, in the order of their
 * moments and turns; and claims in advance for tasks submitted here, as long as nothing older
 * waits. Models that share channels are read together, or the first of them would get every slot.
 */
import { isSafelightError, type Claimed } from "@safelight/core"
import type { AccountBounds } from "./account-bounds.ts"
import type { AccountShare, AccountShares } from "./account-shares.ts"
import type { Context } from "./context.ts"
import type { ModelGroup } from "./model-groups.ts"
import type { Slot } from "./routing.ts"
import { createStarter, withLoan, type Starter } from "./start-claimed.ts"
import type { Turns } from "./turns.ts"
import type { Work } from "./work.ts"

/** One round claims no more than this, so that others get their share of a large backlog. */
const CLAIM_LIMIT = 500

export interface HandOff {
  readonly model: string
  readonly account: string
  /** The claim's id. */
  readonly claim: string
  readonly slot: Slot
  /** On the monotonic clock. */
  readonly heldUntil: number
}

export interface QueueReader {
  /** Claims what is due. Resolves to how long nothing more will be (ms); 0: look again at once. */
  read(): Promise<number>
  /** A claim in advance for a task of `model`; undefined where it must queue. */
  offer(model: string, account: string, share: AccountShare): HandOff | undefined
  /** Whether tasks may be waiting for what a task of `account` has freed. */
  hasBacklog(model: string, account: string): boolean
}

export interface QueueReaderParts {
  readonly groups: readonly ModelGroup[]
  readonly turns: Turns
  readonly shares: AccountShares
  readonly bounds: AccountBounds
  readonly begin: (work: Work) => void
}

export function createQueueReader(context: Context, parts: QueueReaderParts): QueueReader {
  const { claims, routing, settings } = context
  const { bounds, groups } = parts
  const backlog = new Set(groups.flatMap(({ models }) => models))
  const starter = createStarter(context, parts)
  const readGroup = createGroupReader(context, parts, starter, backlog)
  return {
    hasBacklog: (model, account) => backlog.has(model) || bounds.isBounded(account),
    async read() {
      await routing.tend()
      await bounds.tend()
      // What is claimed late could not be carried out: the claim must be renewed before.
      if (!claims.isFresh()) return Math.min(settings.idlePollMs, settings.claimMs / 10)
      await starter.startParked()
      let pauseMs = settings.idlePollMs
      for (const group of groups) pauseMs = Math.min(pauseMs, await readGroup(group))
      return pauseMs
    },
    offer(model, account, { runningTasks }) {
      if (backlog.has(model) || !claims.isFresh()) return undefined
      const loan = bounds.borrow(account, runningTasks)
      if (loan === undefined) return undefined
      const slot = routing.take(model)
      if (slot === undefined) {
        loan.free()
        backlog.add(model)
        return undefined
      }
      const { heldUntil, id } = claims.tasks()
      return { model, account, claim: id, slot: withLoan(slot, loan), heldUntil }
    },
  }
}

/** Reads one group's queue; resolves to how long nothing more will be of it. */
type ReadGroup = (group: ModelGroup) => Promise<number>

function createGroupReader(
  context: Context,
  { bounds, turns }: QueueReaderParts,
  starter: Starter,
  backlog: Set<string>,
): ReadGroup {
  const { claims, clock, routing, settings, storage } = context

  function noteBacklog(models: readonly string[], isWaiting: boolean): void {
    for (const model of models) {
      if (isWaiting) backlog.add(model)
      else backlog.delete(model)
    }
  }

  const findAble = ({ models }: ModelGroup): readonly string[] =>
    models.filter((model) => routing.countFree(model) > 0)

  async function claim(models: readonly string[], limit: number): Promise<readonly Claimed[]> {
    const { id } = claims.tasks()
    const exceptAccounts = bounds.listFull()
    try {
      return await storage.claim({ claim: id, models, exceptAccounts, now: clock.now(), limit })
    } catch (error) {
      // Tasks may have been taken that nobody here has heard of.
      if (isSafelightError(error)) claims.retire(id)
      throw error
    }
  }

  /** Resolves to how many were begun. */
  async function claimGroup(group: ModelGroup, able: readonly string[]): Promise<number> {
    // As many as each of them can take; what only some can take is left for the next round.
    const limit = Math.min(CLAIM_LIMIT, ...able.map((model) => routing.countFree(model)))
    const { heldUntil } = claims.tasks()
    const claimed = await claim(able, limit)
    noteBacklog(able, claimed.length === limit)
    for (const { turn } of claimed) turns.observe(group, turn)
    return starter.start(claimed, heldUntil)
  }

  return async function readGroup(group) {
    const canClaim = findAble(group).length > 0 || routing.canGrow(group.channels)
    if (!canClaim) return settings.idlePollMs
    const next = await storage.peekQueue(group.models)
    turns.observe(group, next.turn)
    const aheadMs = next.dueAt === null ? settings.idlePollMs : next.dueAt - clock.now()
    const isWaiting = next.turn !== null || aheadMs <= 0
    noteBacklog(group.models, isWaiting)
    if (!isWaiting) return Math.min(aheadMs, settings.idlePollMs)
    if (findAble(group).length === 0) await routing.grow(group.channels)
    const able = findAble(group)
    const begun = able.length === 0 ? 0 : await claimGroup(group, able)
    return begun > 0 ? 0 : settings.idlePollMs
  }
}
