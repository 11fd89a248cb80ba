/**
 * Beginning the work on tasks that were taken: each needs a permit of a channel, and what is to be dispatched
 * one of its account. What can't begin after all is given back, in its place in line, also where the storage
 * fails on the way: a task that stays held would be kept from everybody. Work that is under way at a
 * channel already is taken on in any case: nobody else would follow it.
 */
import type { Taken } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { giveBackAll } from "../work/give-back.ts"
import type { Taking } from "../ownership/worker-lease.ts"
import { createWork, type Work } from "../work/work.ts"
import type { AccountPermits } from "./account-permits.ts"
import type { ForeignTasks } from "./foreign-tasks.ts"
import type { Permit } from "./permits.ts"
import type { ChannelPermit } from "./routing.ts"

export interface Starter {
  /**
   * Resolves to whether there may be more to begin at once. Rejects where the storage fails; the rest is given
   * back.
   */
  start(taken: readonly Taken[], taking: Pick<Taking, "isSound">): Promise<boolean>
}

export interface StarterParts {
  readonly accounts: AccountPermits
  readonly foreign: ForeignTasks
  readonly begin: (work: Work) => void
}

type Attempt =
  | { readonly kind: "begun" }
  /** Its account has no permit left here, and is left out from now on. */
  | { readonly kind: "account-full" }
  | { readonly kind: "left"; readonly afterMs: number }

export function createStarter(context: Context, parts: StarterParts): Starter {
  const { clock, lease, routing, settings } = context
  const { accounts, begin, foreign } = parts

  function beginWith(work: Work, channel: ChannelPermit | undefined, account: Permit): boolean {
    if (channel === undefined) account.release()
    else begin(Object.assign(work, { permit: channel, accountPermit: account }))
    return channel !== undefined
  }

  /** Of a channel that has not refused it before. */
  function startNew(work: Work, limit: number | null): Attempt {
    const { account, model, refusedBy } = work.head.task
    const permit = accounts.tryAcquire(account, limit)
    if (permit === undefined) return { kind: "account-full" }
    const channel = routing.tryAcquire(model, work.parameters, refusedBy)
    if (beginWith(work, channel, permit)) return { kind: "begun" }
    const isOnHold = routing.isOnHold(model, work.parameters, refusedBy)
    return { kind: "left", afterMs: isOnHold ? settings.backoffMaxMs : settings.backoffMs }
  }

  function takeOn(work: Work, limit: number | null): Attempt {
    const { account, dispatch } = work.head.task
    const channel = routing.join(dispatch?.channel ?? "")
    if (beginWith(work, channel, accounts.join(account, limit))) return { kind: "begun" }
    // Its channel is not served here: long enough to let another node look, or new tasks begin.
    return { kind: "left", afterMs: settings.backoffMaxMs }
  }

  async function startOne(work: Work, limit: number | null): Promise<Attempt> {
    if (await foreign.isForeign(work)) return { kind: "left", afterMs: settings.backoffMaxMs }
    return work.head.task.state === "queued" ? startNew(work, limit) : takeOn(work, limit)
  }

  return {
    async start(taken, taking) {
      const left = new Map<number, Work[]>()
      const leave = (work: Work, afterMs: number): void => {
        left.set(afterMs, [...(left.get(afterMs) ?? []), work])
      }
      let goesOn = taken.length > 0 && taken.every(({ startTag }) => startTag === null)
      const works = taken.map((each) => createWork(each, lease, clock))
      let index = 0
      try {
        for (; index < works.length; index += 1) {
          const work = works[index]
          if (work === undefined) continue
          if (!taking.isSound()) break
          const attempt = await startOne(work, taken[index]?.runningLimit ?? null)
          if (attempt.kind !== "left") goesOn = true
          if (attempt.kind === "account-full") leave(work, 0)
          if (attempt.kind === "left") leave(work, attempt.afterMs)
        }
      } finally {
        for (const work of works.slice(index)) leave(work, settings.backoffMs)
        const now = clock.now()
        for (const [afterMs, some] of left) await giveBackAll(context, some, now + afterMs)
      }
      return goesOn
    },
  }
}
