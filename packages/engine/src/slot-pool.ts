/**
 * The slots of a channel or an account, lent to this process's work in memory: only taking more and
 * giving back ask the storage. What is held is told anew with every renewal.
 *
 *   held ─lent ⇄ free─ given back: unused for a while, or more than a fair share beside others
 *
 * A process alone holds all. Beside others it doubles what it uses, up to all of it while they
 * leave it, and hands half of what exceeds its share over with each renewal.
 */
import type { Clock } from "@safelight/core"
import type { Claims } from "./claims.ts"
import { createSlotHolding, type SlotHolding, type SlotPorts } from "./slot-holding.ts"

/** A slot in use. Freeing it twice is the same as once. */
export interface Loan {
  free(): void
}

export interface SlotPool {
  countFree(): number
  countHeld(): number
  /** A slot for new work; undefined where none is free. */
  borrow(): Loan | undefined
  /** A slot for work that is under way already, also beyond what is held. */
  join(): Loan
  /** Whether nothing was lent for a while. */
  isIdle(): boolean
  /** Whether asking for more slots could bring any now. */
  canGrow(): boolean
  /** Asks for more slots; resolves once it is told how many there are. */
  grow(): Promise<void>
  /** Gives back what was not used for a while and what others shall have. */
  tend(): Promise<void>
  /** Says again what it holds; part of a renewal. */
  repeat(): Promise<void>
  /** Gives all slots back that are not lent; to be repeated until it `isEmpty`. */
  giveBack(): Promise<void>
  /** Whether the storage may hold slots for this process, also such as are not lent any more. */
  mayHold(): boolean
  /** Whether nothing is lent and the storage surely holds nothing: it may be forgotten. */
  isEmpty(): boolean
  /** There are more or fewer slots from now on. */
  resize(size: number): void
}

export interface SlotPoolOptions {
  readonly pool: string
  /** How many there are, over all processes. */
  readonly size: number
  /** After asking for more in vain it pauses for `idlePollMs`, then twice as long up to this. */
  readonly longestPauseMs: number
}

/** Slots unused for this long are left to others: longer than the gaps of steady work. */
const UNUSED_MS = 3_000

export function createSlotPool(ports: SlotPorts, options: SlotPoolOptions): SlotPool {
  const { claims, clock } = ports
  const holding = createSlotHolding(ports, options.pool, options.size)
  const lender = createLender(clock)
  const growth = createGrowth(ports, options.longestPauseMs)
  /** What it means to come down to for the sake of others. */
  let ceiling = Infinity

  function countFree(): number {
    if (!holding.isValid()) return 0
    return Math.max(0, Math.min(holding.count(), ceiling, holding.size) - lender.lent())
  }

  /** Comes down to the ceiling as far as work has ended, and leaves others time to look. */
  async function comeDown(): Promise<void> {
    const lowest = Math.max(ceiling, lender.lent())
    if (lowest < holding.count()) await holding.hold(() => Math.max(ceiling, lender.lent()))
    if (holding.count() > ceiling) return
    ceiling = Infinity
    growth.pause()
  }

  return {
    countFree,
    countHeld: () => holding.count(),
    borrow: () => (countFree() > 0 ? lender.lend() : undefined),
    join: () => lender.lend(),
    isIdle: () => lender.lent() === 0 && lender.idleMs() >= UNUSED_MS,
    canGrow: () => holding.count() < holding.size && ceiling === Infinity && growth.isDue(),
    async grow() {
      const before = holding.count()
      await holding.hold(() => toGoal(holding, lender.lent(), claims))
      growth.note(holding.count() > before)
    },
    async tend() {
      if (ceiling < Infinity) await comeDown()
      const used = lender.takePeak()
      if (used === undefined || used >= holding.count() || isAlone(claims)) return
      await holding.hold(() => Math.max(lender.lent(), used))
    },
    async repeat() {
      const excess = holding.count() - toShare(holding, claims)
      if (!isAlone(claims) && excess > 0) ceiling = holding.count() - Math.ceil(excess / 2)
      if (isAlone(claims)) await holding.hold(() => holding.size)
      // Also that it holds none, where it was not heard.
      else if (holding.most() > 0) await holding.hold(() => holding.count())
    },
    async giveBack() {
      if (holding.most() > lender.lent()) await holding.hold(() => lender.lent())
    },
    mayHold: () => holding.most() > 0,
    isEmpty: () => lender.lent() === 0 && holding.isEmpty(),
    resize(size) {
      holding.size = size
    },
  }
}

const isAlone = (claims: Claims): boolean => claims.countNodes() === 1

function toShare({ size }: SlotHolding, claims: Claims): number {
  return Math.ceil(size / claims.countNodes())
}

function toGoal(holding: SlotHolding, lent: number, claims: Claims): number {
  if (isAlone(claims)) return holding.size
  return Math.min(holding.size, Math.max(holding.count() + 1, lent * 2, toShare(holding, claims)))
}

interface Lender {
  lent(): number
  lend(): Loan
  /** How long nothing has been given back, ms. */
  idleMs(): number
  /** The most that was lent at once since the last look; undefined before the next one is due. */
  takePeak(): number | undefined
}

function createLender(clock: Clock): Lender {
  let lent = 0
  let peak = 0
  let lookAt = clock.monotonicNow() + UNUSED_MS
  let freedAt = clock.monotonicNow()
  return {
    lent: () => lent,
    lend() {
      let isLent = true
      lent += 1
      peak = Math.max(peak, lent)
      return {
        free() {
          if (!isLent) return
          isLent = false
          lent -= 1
          freedAt = clock.monotonicNow()
        },
      }
    },
    idleMs: () => clock.monotonicNow() - freedAt,
    takePeak() {
      if (clock.monotonicNow() < lookAt) return undefined
      const most = peak
      peak = lent
      lookAt = clock.monotonicNow() + UNUSED_MS
      return most
    },
  }
}

interface Growth {
  isDue(): boolean
  note(hasGrown: boolean): void
  pause(): void
}

function createGrowth({ clock, settings }: SlotPorts, longestPauseMs: number): Growth {
  const { idlePollMs } = settings
  let pauseMs = idlePollMs
  let dueAt = 0
  return {
    isDue: () => clock.monotonicNow() >= dueAt,
    note(hasGrown) {
      dueAt = hasGrown ? 0 : clock.monotonicNow() + pauseMs
      pauseMs = hasGrown ? idlePollMs : Math.min(pauseMs * 2, Math.max(longestPauseMs, idlePollMs))
    },
    pause() {
      // Long enough for others to look once.
      dueAt = clock.monotonicNow() + idlePollMs * 2
    },
  }
}
