/**
 * Where a task that is about to be submitted shall stand: with this process at once, where its account and a
 * channel have permits beyond those that all that waits will need; else in the queue, behind its start tag.
 */
import type { Pool } from "@safelight/core"
import type { Context } from "../host/context.ts"
import type { Taking } from "../ownership/worker-lease.ts"
import type { AskedFor } from "../work/answers/eligibility.ts"
import { toQueuePool, type AccountPermits } from "./account-permits.ts"
import type { AccountSettings, AccountSettingsReader } from "./account-settings.ts"
import type { Backlog } from "./backlog.ts"
import type { ModelGroup } from "./model-groups.ts"
import type { Permit } from "./permits.ts"
import type { ChannelPermit } from "./routing.ts"
import type { StartTags } from "./start-tags.ts"

export type Reservation =
  /** With this process, at once. */
  | { readonly kind: "here"; readonly offer: Offer }
  /** In the queue, at this place in line. */
  | { readonly kind: "queue"; readonly startTag: number; readonly pool?: Pool }

/** The permits of a task that is to begin here. */
export interface Offer {
  readonly model: string
  readonly account: string
  readonly permit: ChannelPermit
  readonly accountPermit: Permit
  /** Ended once the task is known as work, or none came of it. */
  readonly taking: Taking
}

/** Never rejects for the storage's sake. */
export type Reserve = (request: AskedFor, account: string) => Promise<Reservation>

export interface ReservationParts {
  readonly accounts: AccountPermits
  readonly backlog: Backlog
  readonly groups: readonly ModelGroup[]
  readonly settings: AccountSettingsReader
  readonly startTags: StartTags
  /** Whether this process carries out tasks now. */
  readonly isWorking: () => boolean
}

export function createReserve(
  { lease, routing }: Pick<Context, "lease" | "routing">,
  { accounts, backlog, groups, isWorking, settings, startTags }: ReservationParts,
): Reserve {
  function offer(
    { model, parameters }: AskedFor,
    account: string,
    { runningTasks }: AccountSettings,
  ): Offer | undefined {
    if (!isWorking() || backlog.has(model) || !lease.isFresh()) return undefined
    const accountPermit = accounts.tryAcquire(account, runningTasks)
    if (accountPermit === undefined) return undefined
    const permit = backlog.leavesOne(model) ? routing.tryAcquire(model, parameters) : undefined
    if (permit === undefined) {
      accountPermit.release()
      backlog.note([model], true)
      return undefined
    }
    return { model, account, permit, accountPermit, taking: lease.take() }
  }

  return async function reserve(request, account) {
    const found = settings.known(account) ?? (await settings.find(account))
    const here = offer(request, account, found)
    if (here !== undefined) return { kind: "here", offer: here }
    const { model } = request
    const group = groups.find((each) => each.models.includes(model))
    if (group === undefined) throw new TypeError(`model ${model} is not served here`)
    const startTag = await startTags.give(group, account, found.weight)
    const pool = toQueuePool(account, found.runningTasks)
    return { kind: "queue", startTag, ...(pool && { pool }) }
  }
}
