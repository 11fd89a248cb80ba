/**
 * How often a channel may be asked in any minute, over all nodes: a request has one of as many slots
 * for a minute, whatever comes of it. A process that stops in good order gives its slots back at once,
 * so that a minute with a restart in it can see more; what the channel then turns away costs nothing.
 *
 *   borrowed ─sent→ spent for a minute → free      borrowed ─nothing sent→ free
 */
import type { SlotPorts } from "./slot-holding.ts"
import { createSlotPool, type Loan, type SlotPool } from "./slot-pool.ts"

export interface Minute {
  /** None where the channel may be asked as often as there is room for. */
  readonly pools: readonly SlotPool[]
  countFree(): number
  /** For the first request of a task; undefined where the minute is full. */
  borrow(): MinutePlace | undefined
  /** For work that is under way, which is not held up. */
  join(): MinutePlace
}

export interface MinutePlace {
  /** A request leaves now: each counts. */
  spend(): void
  /** No more requests will. */
  free(): void
}

const MINUTE_MS = 60_000

const UNBOUNDED_PLACE: MinutePlace = { spend() {}, free() {} }

const UNBOUNDED: Minute = {
  pools: [],
  countFree: () => Infinity,
  borrow: () => UNBOUNDED_PLACE,
  join: () => UNBOUNDED_PLACE,
}

export function createMinute(
  ports: SlotPorts,
  channel: string,
  requestsPerMinute: number | undefined,
): Minute {
  if (requestsPerMinute === undefined) return UNBOUNDED
  const { clock, settings } = ports
  const slots = createSlotPool(ports, {
    pool: `minute:${channel}`,
    size: requestsPerMinute,
    longestPauseMs: settings.idlePollMs,
  })
  /** Oldest first. */
  const spent: { readonly freeAt: number; readonly loan: Loan }[] = []

  function freeSpent(): void {
    const now = clock.monotonicNow()
    while (spent[0] !== undefined && spent[0].freeAt <= now) spent.shift()?.loan.free()
  }

  function toPlace(borrowed: Loan | undefined): MinutePlace {
    let unspent = borrowed
    return {
      spend() {
        const loan = unspent ?? slots.join()
        unspent = undefined
        spent.push({ freeAt: clock.monotonicNow() + MINUTE_MS, loan })
      },
      free() {
        unspent?.free()
        unspent = undefined
      },
    }
  }

  const pool: SlotPool = {
    ...slots,
    countFree() {
      freeSpent()
      return slots.countFree()
    },
    tend() {
      freeSpent()
      return slots.tend()
    },
  }

  return {
    pools: [pool],
    countFree: () => pool.countFree(),
    borrow() {
      freeSpent()
      const loan = slots.borrow()
      return loan && toPlace(loan)
    },
    join: () => toPlace(undefined),
  }
}
