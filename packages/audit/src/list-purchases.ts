/**
 * What was bought for a task, by its events: each key under which a channel was asked, unless it is proved that nothing
 * was billed for it. A purchase whose outcome is not recorded counts, since it may have been made.
 */
import type { AttemptCost, Json, TaskEvent } from "@safelight/core"

export interface Purchase {
  readonly task: string
  readonly channel: string
  readonly upstreamKey: string
  /** When the key was first sent, ms. */
  readonly askedAt: number
  /** The channel's handle on the work; null if it never told one. */
  readonly operation: Json
  /** Upstream; `unknown` as long as the outcome is not recorded. */
  readonly cost: AttemptCost
}

/** In the order in which they were made. */
export function listPurchases(task: string, events: readonly TaskEvent[]): readonly Purchase[] {
  const purchases = new Map<string, Purchase>()
  let open: Purchase | undefined

  function end(purchase: Purchase, cost: AttemptCost, isMade: boolean): void {
    open = undefined
    if (isMade || cost !== "none") purchases.set(purchase.upstreamKey, { ...purchase, cost })
    else purchases.delete(purchase.upstreamKey)
  }

  for (const { at, data, type } of events) {
    if (type === "dispatched") {
      const { channel, upstreamKey } = data
      const asked = { task, channel, upstreamKey, askedAt: at, operation: null, cost: "unknown" }
      open = purchases.get(upstreamKey) ?? (asked as Purchase)
    } else if (open !== undefined) {
      if (type === "accepted") open = { ...open, operation: data.operation }
      if (type === "deferred" || type === "failed") end(open, data.cost, false)
      if (type === "succeeded") end(open, data.cost, true)
    }
    if (open !== undefined) purchases.set(open.upstreamKey, open)
  }
  return [...purchases.values()]
}
