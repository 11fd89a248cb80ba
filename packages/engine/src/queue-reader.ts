/**
 * Taking tasks from the queue as far as channels and accounts have room, in the order of their
 * moments and turns; and claims in advance for tasks submitted here, beyond the slots that all that
 * waits will need. Models that share channels are read together, or the first of them would get
 * every slot.
 */
import { isSafelightError, type Claimed, type ClaimRequest, type QueuePeek } from "@safelight/core"
import type { AccountBounds } from "./account-bounds.ts"
import type { AccountShare, AccountShares } from "./account-shares.ts"
import type { Taking } from "./claims.ts"
import type { Context } from "./context.ts"
import type { AskedFor } from "./eligibility.ts"
import { createEarmarks, type Earmarks } from "./earmarks.ts"
import type { ModelGroup } from "./model-groups.ts"
import { createPausedWork } from "./paused-work.ts"
import { createPauses } from "./pauses.ts"
import type { Slot } from "./routing.ts"
import { createStarter, withLoan, type Starter } from "./start-claimed.ts"
import { createForeignTasks, type ForeignTasks } from "./foreign-tasks.ts"
import type { Turns } from "./turns.ts"
import type { Work } from "./work.ts"

/** One round claims no more than this, so that others get their share of a large backlog. */
const CLAIM_LIMIT = 500

export interface HandOff {
  readonly model: string
  readonly account: string
  readonly slot: Slot
  /** Ended once the task is known as work, or none came of it. */
  readonly taking: Taking
}

export interface QueueReader {
  /** Claims what is due. Resolves to how long nothing more will be (ms); 0: look again at once. */
  read(): Promise<number>
  /** A claim in advance for a task; undefined where it must queue. */
  offer(request: AskedFor, account: string, share: AccountShare): HandOff | undefined
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
  const earmarks = createEarmarks(routing)
  const foreign = createForeignTasks(context)
  const starter = createStarter(context, {
    ...parts,
    foreign,
    begin(work) {
      earmarks.use()
      parts.begin(work)
    },
  })
  const claim = createClaim(context, bounds, foreign)
  const readGroup = createGroupReader(context, parts, { backlog, earmarks, starter, claim })
  const pauses = createPauses(context)
  const pausedWork = createPausedWork(context, {
    models: groups.flatMap(({ models }) => models),
    starter,
    claim: (...request) => claim(...request, { exceptStarts: true }),
  })
  return {
    hasBacklog: (model, account) => backlog.has(model) || bounds.isBounded(account),
    async read() {
      await pauses.look()
      await routing.tend()
      await bounds.tend()
      // What is claimed late could not be carried out: the claim must be renewed before.
      if (!claims.isFresh()) return Math.min(settings.idlePollMs, settings.claimMs / 10)
      await starter.startParked()
      await pausedWork.takeOn()
      let pauseMs = settings.idlePollMs
      for (const group of groups) pauseMs = Math.min(pauseMs, await readGroup(group))
      return pauseMs
    },
    offer({ model, parameters }, account, { runningTasks }) {
      if (backlog.has(model) || !claims.isFresh()) return undefined
      const loan = bounds.borrow(account, runningTasks)
      if (loan === undefined) return undefined
      const slot = earmarks.leaveOne(model) ? routing.take(model, parameters) : undefined
      if (slot === undefined) {
        loan.free()
        backlog.add(model)
        return undefined
      }
      return { model, account, slot: withLoan(slot, loan), taking: claims.take() }
    },
  }
}

/** Reads one group's queue; resolves to how long nothing more will be of it. */
type ReadGroup = (group: ModelGroup) => Promise<number>

interface GroupReaderParts {
  readonly backlog: Set<string>
  readonly earmarks: Earmarks
  readonly starter: Starter
  readonly claim: ClaimTasks
}

function createGroupReader(
  context: Context,
  { turns }: QueueReaderParts,
  { backlog, claim, earmarks, starter }: GroupReaderParts,
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

  /** As many as each of them can take; what only some can take is left for the next round. */
  const countRoom = (models: readonly string[]): number =>
    models.length === 0
      ? 0
      : Math.min(CLAIM_LIMIT, ...models.map((model) => routing.countFree(model)))

  /** Resolves to whether there may be more to begin at once. */
  async function claimGroup(
    group: ModelGroup,
    able: readonly string[],
    limit: number,
  ): Promise<boolean> {
    const taking = claims.take()
    try {
      const claimed = await claim(taking.claim, able, limit)
      if (claimed.length < limit) noteBacklog(able, false)
      for (const { turn } of claimed) turns.observe(group, turn)
      const begun = await starter.start(claimed, taking.heldUntil)
      // Steps that could not begin are due later by now: what they came before is next.
      return begun > 0 || (claimed.length > 0 && claimed.every(({ turn }) => turn === null))
    } finally {
      taking.end()
    }
  }

  return async function readGroup(group) {
    const known = countRoom(findAble(group))
    if (known === 0 && !routing.canGrow(group.channels)) return settings.idlePollMs
    const { models } = group
    const next = await storage.peekQueue({ models, now: clock.now(), most: known + 1 })
    turns.observe(group, next.turn)
    noteBacklog(models, next.claimable > 0)
    if (next.claimable === 0) return toPause(next, clock.now(), settings.idlePollMs)
    if (findAble(group).length === 0) await routing.grow(group.channels)
    const able = findAble(group)
    const limit = Math.min(countRoom(able), next.claimable)
    // Where all that wait have a slot, nothing has to queue behind them.
    noteBacklog(able, next.claimable > known || limit < next.claimable)
    const work = () => claimGroup(group, able, limit)
    const goesOn = limit > 0 && (await earmarks.during(able, limit, work))
    return goesOn ? 0 : settings.idlePollMs
  }
}

type ClaimTasks = (
  claim: string,
  models: readonly string[],
  limit: number,
  options?: Pick<ClaimRequest, "exceptStarts">,
) => Promise<readonly Claimed[]>

function createClaim(
  { claims, clock, storage }: Context,
  bounds: AccountBounds,
  foreign: ForeignTasks,
): ClaimTasks {
  return async (claim, models, limit, options = {}) => {
    const exceptAccounts = bounds.listFull()
    const now = clock.now() - foreign.holdBackMs()
    try {
      return await storage.claim({ claim, models, exceptAccounts, now, limit, ...options })
    } catch (error) {
      // Tasks may have been taken that nobody here has heard of.
      if (isSafelightError(error)) claims.retire(claim)
      throw error
    }
  }
}

/** Until the next moment comes, but no longer than `longestMs`. */
function toPause({ dueAt }: QueuePeek, now: number, longestMs: number): number {
  return dueAt === null ? longestMs : Math.min(Math.max(0, dueAt - now), longestMs)
}
