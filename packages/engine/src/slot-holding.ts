/**
 * How many slots of a pool this process holds, by the storage's latest answer. They may be lent as
 * long as the claim they are held under can't have been voided; a process that wakes past its claim
 * has none until it has renewed it and asked again.
 */
import type { Claims } from "./claims.ts"
import type { Ports } from "./ports.ts"

export interface SlotHolding {
  readonly pool: string
  /** How many there are, over all processes. */
  size: number
  /** Held, whether or not they may be lent. */
  count(): number
  isValid(): boolean
  /**
   * Asks for as many as `toCount` says when it is this question's turn. What it gives back is lent no
   * more from then on; what it gets is there once resolved.
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
  let validUntil = 0
  let asking = Promise.resolve()

  async function ask(toCount: () => number, before: Promise<void>): Promise<void> {
    await before
    const { heldUntil, id } = claims.slots
    // Under a claim that may have been voided they would be slots that nobody frees.
    if (holding.size === 0 || clock.monotonicNow() >= heldUntil) return
    const count = toCount()
    held = Math.min(held, count)
    held = await storage.holdSlots({ pool, size: holding.size, claim: id, count })
    validUntil = heldUntil
  }

  const holding: SlotHolding = {
    pool,
    size,
    count: () => held,
    isValid: () => clock.monotonicNow() < validUntil,
    hold(toCount) {
      // One question at a time: the answers to two could come in either order.
      const answered = ask(toCount, asking)
      asking = answered.catch(() => undefined)
      return answered
    },
  }
  return holding
}
