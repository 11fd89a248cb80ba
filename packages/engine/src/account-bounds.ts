/**
 * Accounts whose running tasks are bounded, over all nodes. A start needs one of the account's
 * slots beside the channel's. One that was claimed before it showed that there is none is parked
 * here, where the account's slots are, and is the next to have one: giving it back to the queue
 * would cost it its turn. While an account is full its starts are not claimed. A pool is forgotten
 * only once the storage has said that it holds nothing: slots of a forgotten one nobody gives back.
 */
import type { AccountShares } from "./account-shares.ts"
import type { SlotPorts } from "./slot-holding.ts"
import { createSlotPool, type Loan, type SlotPool } from "./slot-pool.ts"
import type { Work } from "./work.ts"

export interface AccountBounds {
  /** A slot for a start, of those this process holds; undefined where none is free here. */
  borrow(account: string, bound: number | null): Loan | undefined
  /** The same, asking the storage for more where none is free here. */
  reach(account: string, bound: number | null): Promise<Loan | undefined>
  /** A slot for work that is under way already. */
  join(account: string, bound: number | null): Loan
  isBounded(account: string): boolean
  /** Accounts whose starts must not be claimed now. */
  listFull(): readonly string[]
  /** Keeps a claimed start for its account's next slot; false where it can't be kept. */
  park(work: Work): boolean
  listParked(): readonly Work[]
  /** Hands parked starts whose account has a slot to `start`, which says whether it took them. */
  startParked(start: (work: Work, loan: Loan) => boolean): void
  /**
   * Parked starts of accounts that no slot is held of any more, and of models that `isServed` denies;
   * they are parked no longer.
   */
  takeHopeless(mayHope: (work: Work) => boolean): readonly Work[]
  /** Asks for slots where an account is full, gives back those that are not used. */
  tend(): Promise<void>
  /** Says again what is held; part of a renewal. */
  repeat(): Promise<void>
}

interface Bound {
  readonly pool: SlotPool
  parked: readonly Work[]
}

/** Where there is no bound there is nothing to lend. */
const UNBOUNDED: Loan = { free() {} }

/** A full account is asked about again at least this often. */
const LONGEST_PAUSE_MS = 8_000

/** Tasks parked at once, of all accounts: some kilobytes each. */
const PARKED = 1_000

export function createAccountBounds(ports: SlotPorts, shares: AccountShares): AccountBounds {
  const table = createBoundTable(ports)
  const { boundOf, bounds, lifted } = table
  const listParked = (): readonly Work[] =>
    [...bounds.values(), ...lifted.values()].flatMap(({ parked }) => parked)

  function borrow(account: string, size: number | null): Loan | undefined {
    const bound = boundOf(account, size)
    if (bound === undefined) return UNBOUNDED
    return bound.parked.length === 0 ? bound.pool.borrow() : undefined
  }

  async function tend(account: string, bound: Bound): Promise<void> {
    const { parked, pool } = bound
    await pool.tend()
    if (parked.length === 0 && pool.isIdle() && pool.mayHold()) {
      await pool.giveBack()
      if (isForgettable(bound)) bounds.delete(account)
    } else if (isFull(bound)) {
      // Nothing of a full account is claimed, so nothing else would show that its bound was changed.
      const { runningTasks } = await shares.find(account)
      if (boundOf(account, runningTasks) === undefined) return
      if (pool.countFree() === 0 && pool.canGrow()) await pool.grow()
    }
  }

  return {
    borrow,
    listParked,
    async reach(account, size) {
      const bound = boundOf(account, size)
      if (bound !== undefined && isFull(bound) && bound.pool.canGrow()) await bound.pool.grow()
      return borrow(account, size)
    },
    join: (account, size) => boundOf(account, size)?.pool.join() ?? UNBOUNDED,
    isBounded: (account) => bounds.has(account),
    listFull: () => [...bounds].flatMap(([account, bound]) => (isFull(bound) ? account : [])),
    park(work) {
      const bound = bounds.get(work.head.task.account)
      if (bound === undefined || bound.pool.countHeld() === 0) return false
      if (listParked().length >= PARKED) return false
      bound.parked = [...bound.parked, work]
      return true
    },
    startParked(start) {
      for (const bound of bounds.values()) startOf(bound, start)
    },
    takeHopeless(mayHope) {
      const hopeful = new Set([...bounds.values()].filter(({ pool }) => pool.countHeld() > 0))
      return [...bounds.values(), ...lifted.values()].flatMap((bound) => {
        return dropParked(bound, (work) => hopeful.has(bound) && mayHope(work))
      })
    },
    async tend() {
      for (const [account, bound] of bounds) await tend(account, bound)
      await table.dropLifted()
    },
    async repeat() {
      for (const { pool } of bounds.values()) await pool.repeat()
    },
  }
}

interface BoundTable {
  readonly bounds: Map<string, Bound>
  /** The account's bound, made where it is missing; undefined where there is none any more. */
  readonly boundOf: (account: string, size: number | null) => Bound | undefined
  /** Bounds of accounts that have none any more, until their slots are given back. */
  readonly lifted: ReadonlyMap<string, Bound>
  /** Gives back what those do not use any more. */
  dropLifted(): Promise<void>
}

function createBoundTable(ports: SlotPorts): BoundTable {
  const bounds = new Map<string, Bound>()
  const lifted = new Map<string, Bound>()

  function create(account: string, size: number): Bound {
    const options = { pool: `account:${account}`, size, longestPauseMs: LONGEST_PAUSE_MS }
    return { pool: createSlotPool(ports, options), parked: [] }
  }

  return {
    bounds,
    lifted,
    boundOf(account, size) {
      const known = bounds.get(account)
      if (size === null) {
        if (known !== undefined) lifted.set(account, known)
        bounds.delete(account)
        return undefined
      }
      // One pool an account: what two of them told the storage would contradict each other.
      const bound = known ?? lifted.get(account) ?? create(account, size)
      lifted.delete(account)
      bounds.set(account, bound)
      bound.pool.resize(size)
      return bound
    },
    async dropLifted() {
      for (const [account, bound] of lifted) {
        await bound.pool.giveBack()
        if (isForgettable(bound)) lifted.delete(account)
      }
    },
  }
}

/** Asked after every wait: meanwhile the account may have come back. */
function isForgettable({ parked, pool }: Bound): boolean {
  return parked.length === 0 && pool.isEmpty()
}

function isFull({ parked, pool }: Bound): boolean {
  return parked.length > 0 || pool.countFree() === 0
}

/** Those that may not wait any longer. */
function dropParked(bound: Bound, mayWait: (work: Work) => boolean): readonly Work[] {
  const parked = Map.groupBy(bound.parked, mayWait)
  bound.parked = parked.get(true) ?? []
  return parked.get(false) ?? []
}

function startOf(bound: Bound, start: (work: Work, loan: Loan) => boolean): void {
  // Those whose claim was lost meanwhile are somebody else's.
  let parked = bound.parked.filter(({ controller }) => !controller.signal.aborted)
  for (const work of parked) {
    const loan = bound.pool.borrow()
    if (loan === undefined) break
    if (!start(work, loan)) {
      loan.free()
      break
    }
    parked = parked.slice(1)
  }
  bound.parked = parked
}
