/**
 * The claims that one boot of this process works under: one for tasks, one for slots. If the
 * queue's answer is lost, this process can't know what it holds; the claim for tasks is then retired
 * and another one takes its place. Each beat frees the tasks under a retired claim that this process
 * has no work on. A claim is retired after a while in any case, so that a task which the storage holds
 * for this process and which this process does not know, as after a failover that lost commits, is
 * freed soon. The claim for slots stays: holding slots is told anew each time.
 */
import type { Ports } from "./ports.ts"

export interface Claim {
  readonly id: string
  /** On the monotonic clock: past it, others may have voided the claim. */
  heldUntil: number
}

/** Tasks are being taken under a claim, and not all of them are known as work yet. */
export interface Taking {
  /** The claim's id. */
  readonly claim: string
  /** The claim's, as it was when the taking began. */
  readonly heldUntil: number
  /** They are now, or none came of it. Calling it twice is the same as once. */
  end(): void
}

export interface Claims {
  /** What new tasks are taken under. */
  tasks(): Claim
  readonly slots: Claim
  /** Whether the claim for tasks surely outlives the sending of a request that is begun now. */
  isFresh(): boolean
  /** A renewal begun at `startedAt` on the monotonic clock went through. */
  noteRenewed(claim: string, startedAt: number): void
  /** Begins to take tasks under the claim for tasks. */
  take(): Taking
  /** Takes no more tasks under `claim`; the work under it goes on. */
  retire(claim: string): void
  /** Retires the claim for tasks once it has served for some beats. */
  rotate(): void
  /** Whether `claim` is one of this process's that was retired. */
  isRetired(claim: string): boolean
  /** A retired claim holds nothing any more and was given up. */
  forget(claim: string): void
  /** Whether all that may be held under `claim` is known: it was retired, and nothing is being taken. */
  isOver(claim: string): boolean
  /** How many processes hold slots, this one included, as last looked. */
  countNodes(): number
  /** Takes in what claims there are beside this process's own. */
  noteOthers(claims: readonly string[]): void
}

/**
 * How many times `claimMs` a claim for tasks serves. Tasks that take longer keep theirs alive beside the
 * next ones: of an hour's tasks there are a dozen.
 */
const TERMS = 5

/** Marks a claim for slots: there is one of them a process. */
const SLOTS = "slots:"

export function createClaims({
  clock,
  identifiers,
  settings,
}: Pick<Ports, "clock" | "identifiers" | "settings">): Claims {
  let nodes = 1
  const takings = new Set<Taking>()
  const slots = create(SLOTS)
  const retired = new Set<string>()
  let tasks = create("")
  let rotateAt = clock.monotonicNow() + TERMS * settings.claimMs

  /** Nobody can have seen a new claim before now, so it holds as if it was renewed. */
  function create(prefix: string): Claim {
    const id = `${prefix}${identifiers.createTaskId(clock.now())}`
    return { id, heldUntil: clock.monotonicNow() + settings.claimMs }
  }

  function retire(claim: string): void {
    if (claim !== tasks.id) return
    retired.add(claim)
    tasks = create("")
    rotateAt = clock.monotonicNow() + TERMS * settings.claimMs
  }

  return {
    tasks: () => tasks,
    slots,
    // A request leaves within half a claim; a claim renewed in time has two thirds left.
    isFresh: () => tasks.heldUntil - clock.monotonicNow() > settings.claimMs / 2,
    noteRenewed(claim, startedAt) {
      for (const each of [tasks, slots]) {
        if (each.id === claim) each.heldUntil = startedAt + settings.claimMs
      }
    },
    take() {
      const { heldUntil, id } = tasks
      const taking: Taking = { claim: id, heldUntil, end: () => void takings.delete(taking) }
      takings.add(taking)
      return taking
    },
    retire,
    rotate() {
      if (clock.monotonicNow() >= rotateAt) retire(tasks.id)
    },
    isRetired: (claim) => retired.has(claim),
    forget: (claim) => void retired.delete(claim),
    isOver: (claim) =>
      claim !== tasks.id &&
      claim !== slots.id &&
      ![...takings].some((each) => each.claim === claim),
    countNodes: () => nodes,
    noteOthers(claims) {
      nodes = 1 + claims.filter((claim) => claim.startsWith(SLOTS)).length
    },
  }
}
