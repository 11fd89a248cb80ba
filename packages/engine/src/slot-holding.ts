/**
 * How many slots of a pool this process holds, by the storage's latest answer. They may be lent as
 * long as the claim they are held under can't have been voided; a process that wakes past its claim
 * has none until it has renewed it and asked again. Where an answer is missing the storage may hold
 * more for it than it lends, which nobody else can have: that is remembered until an answer comes.
 */
import type { Claims } from "./claims.ts"
import type { Ports } from "./ports.ts"

export interface SlotHolding {
  readonly pool: string
  /** How many there are, over all processes. */
  size: number
  /** Held, whether or not they may be lent. */
  count(): number
  /** The most that the storage may hold for this process, by what was asked and answered. */
  most(): number
  /** Whether the storage surely holds none, and no question is open that could change that. */
  isEmpty(): boolean
  isValid(): boolean
  /**
   * Asks for as many as `toCount` says when it is this question's turn. What it gives back is lent no
   * more from then on; what it gets is there once resolved. Asks nothing, and changes nothing, while
   * the claim may have been voided. Rejects where the storage fails.
   */
  hold(toCount: () => number): Promise<void>
}

export type SlotPorts = Pick<Ports, "clock" | "settings" | "storage"> & { readonly claims: Claims }

export function createSlotHolding(
  { claims, clock, storage }: SlotPorts,
  pool: string,
  size: number,
): SlotHolding {
  let held = 0
  let most = 0
  let open = 0
  let validUntil = 0
  let asking = Promise.resolve()

  async function ask(toCount: () => number, before: Promise<void>): Promise<void> {
    await before
    const { heldUntil, id } = claims.slots
    // Under a claim that may have been voided they would be slots that nobody frees.
    if (clock.monotonicNow() >= heldUntil) return
    // Where there are none at all, there is something to say only of what was held before.
    if (holding.size === 0 && most === 0) return
    const count = toCount()
    held = Math.min(held, count)
    most = Math.max(most, count)
    held = await storage.holdSlots({ pool, size: holding.size, claim: id, count })
    most = held
    validUntil = heldUntil
  }

  async function askInTurn(toCount: () => number, before: Promise<void>): Promise<void> {
    open += 1
    try {
      await ask(toCount, before)
    } finally {
      open -= 1
    }
  }

  const holding: SlotHolding = {
    pool,
    size,
    count: () => held,
    most: () => most,
    isEmpty: () => open === 0 && most === 0,
    isValid: () => clock.monotonicNow() < validUntil,
    hold(toCount) {
      // One question at a time: the answers to two could come in either order.
      const answered = askInTurn(toCount, asking)
      asking = answered.catch(() => undefined)
      return answered
    },
  }
  return holding
}
