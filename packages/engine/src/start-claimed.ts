/**
 * Beginning the work on claimed tasks: each needs a slot of a channel, and a start one of its
 * account where that is bounded. What can't begin after all is parked or given back, also where the
 * storage fails on the way: a task that was left claimed would be kept from everybody. Work that is
 * under way at a channel already is taken on in any case: nobody else would follow it.
 */
import type { Claimed } from "@safelight/core"
import type { AccountBounds } from "./account-bounds.ts"
import type { AccountShares } from "./account-shares.ts"
import type { Context } from "./context.ts"
import type { Slot } from "./routing.ts"
import type { Loan } from "./slot-pool.ts"
import type { ForeignTasks } from "./foreign-tasks.ts"
import { createWork, type Work } from "./work.ts"

export interface Starter {
  /** Resolves to how many were begun. Rejects where the storage fails; the rest is given back. */
  start(claimed: readonly Claimed[], heldUntil: number): Promise<number>
  /** Begins parked starts that have their slots now, gives back those that have none to hope for. */
  startParked(): Promise<void>
}

export interface StarterParts {
  readonly shares: AccountShares
  readonly bounds: AccountBounds
  readonly foreign: ForeignTasks
  readonly begin: (work: Work) => void
}

/** A start that has no slot to hope for here keeps its turn; others may have taken it by then. */
const HOPELESS_MS = 5_000

interface GivingBack {
  readonly release: (works: readonly Work[], afterMs: number) => Promise<void>
  /** Whether only paused channels take it. */
  readonly isOnHold: (work: Work) => boolean
  /**
   * Gives back starts that could not begin. One on hold goes out of its turn: a pause may last for days,
   * and at the front of the queue it would keep what other channels can make.
   */
  readonly giveBack: (works: readonly Work[], afterMs: number) => Promise<void>
}

/** Where the storage fails, releases are told again with every renewal. */
function createGivingBack({ clock, returns, routing, settings }: Context): GivingBack {
  const release = (works: readonly Work[], afterMs: number): Promise<void> =>
    returns.releaseAll(works, clock.now() + afterMs)

  const isOnHold = ({ head, parameters }: Work): boolean =>
    routing.isOnHold(head.task.model, parameters, head.task.refusedBy)

  return {
    isOnHold,
    release,
    async giveBack(works, afterMs) {
      const { held = [], others = [] } = Object.groupBy(works, (work) =>
        isOnHold(work) ? "held" : "others",
      )
      const dueAt = clock.now() + settings.backoffMaxMs
      for (const { claim, id } of held) await returns.release({ claim, tasks: [id], dueAt })
      await release(others, afterMs)
    },
  }
}

/** For a start: of a channel that has not refused it before. */
function takeFor({ routing }: Pick<Context, "routing">, work: Work): Slot | undefined {
  const { model, refusedBy } = work.head.task
  return routing.take(model, work.parameters, refusedBy)
}

export function createStarter(context: Context, parts: StarterParts): Starter {
  const { clock, routing, settings } = context
  const { begin, bounds, shares, foreign } = parts

  const { giveBack, isOnHold, release } = createGivingBack(context)

  const takeSlot = (work: Work, loan: Loan): boolean =>
    beginWith(work, takeFor(context, work), loan)

  function beginWith(work: Work, slot: Slot | undefined, loan: Loan): boolean {
    if (slot === undefined) loan.free()
    else begin(Object.assign(work, { slot: withLoan(slot, loan) }))
    return slot !== undefined
  }

  async function startNew(work: Work): Promise<boolean> {
    const { account } = work.head.task
    const { runningTasks } = await shares.find(account)
    const loan = await bounds.reach(account, runningTasks)
    if (loan !== undefined) {
      const isBegun = takeSlot(work, loan)
      if (!isBegun) await giveBack([work], settings.backoffMs)
      return isBegun
    }
    if (!bounds.park(work)) await release([work], HOPELESS_MS)
    return false
  }

  async function takeOn(work: Work): Promise<boolean> {
    const { account, dispatch } = work.head.task
    const { runningTasks } = await shares.find(account)
    const slot = routing.rejoin(dispatch?.channel ?? "")
    const isBegun = beginWith(work, slot, bounds.join(account, runningTasks))
    // Its channel is not served here: long enough to let another node look, or starts begin.
    if (!isBegun) await release([work], settings.backoffMaxMs)
    return isBegun
  }

  const startOne = async (work: Work): Promise<boolean> =>
    !(await foreign.giveBack(work)) &&
    (work.head.task.state === "queued" ? startNew(work) : takeOn(work))

  return {
    async start(claimed, heldUntil) {
      const works = claimed.map((each) =>
        createWork(each, { claim: each.claim, heldUntil }, clock, { slot: undefined }),
      )
      let begun = 0
      for (const [index, work] of works.entries()) {
        try {
          if (await startOne(work)) begun += 1
        } catch (error) {
          await release(works.slice(index), settings.backoffMs)
          throw error
        }
      }
      return begun
    },
    async startParked() {
      bounds.startParked(takeSlot)
      const hopeless = bounds.takeHopeless(
        (work) => routing.isServed(work.head.task.model) && !isOnHold(work),
      )
      await giveBack(hopeless, HOPELESS_MS)
    },
  }
}

/** A channel's slot that gives an account's back with it. */
export function withLoan(slot: Slot, loan: Loan): Slot {
  return {
    ...slot,
    free() {
      slot.free()
      loan.free()
    },
  }
}
