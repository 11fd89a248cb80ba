/**
 * Whether changes are committed right now: proved by the lanes that are idle, each by writing something
 * that is undone, or else by the next commit. A caller that asks meanwhile gets the same answer.
 */
import { toSafelightError } from "../sql/database-error.ts"
import type { Lane } from "./lane.ts"
import type { Outage } from "./outage.ts"

type ProvingLane = Pick<Lane<never, unknown>, "prove">

export interface Proof {
  /** Rejects with a `SafelightError`. */
  readonly prove: () => Promise<void>
  /** A batch was committed, or given up. */
  readonly noteDone: () => void
}

export interface ProofParts<AnyLane extends ProvingLane> {
  /** Those that commit nothing; they are taken away for as long as they prove. */
  readonly idle: AnyLane[]
  readonly outage: Outage
  /** Lanes are idle again. */
  readonly onIdle: () => void
}

export function createProof<AnyLane extends ProvingLane>(parts: ProofParts<AnyLane>): Proof {
  const { idle, outage, onIdle } = parts
  let watchers: (() => void)[] = []
  let proving: Promise<void> | undefined

  async function proveOn({ prove }: ProvingLane): Promise<void> {
    const triedAt = performance.now()
    try {
      await prove?.(outage.since() !== undefined)
      outage.noteAnswered()
    } catch (error) {
      outage.noteFailed(error, triedAt)
      throw error
    }
  }

  async function proveOnce(): Promise<void> {
    const lanes = idle.splice(0)
    if (lanes.length === 0) {
      await new Promise<void>((resolve) => watchers.push(resolve))
      // A batch that was refused for what is in it was answered all the same.
      if (outage.since() !== undefined) throw toSafelightError(outage.error())
      return
    }
    const proofs = await Promise.allSettled(lanes.map(proveOn))
    idle.push(...lanes)
    onIdle()
    for (const proof of proofs) {
      if (proof.status === "rejected") throw toSafelightError(proof.reason)
    }
  }

  return {
    prove() {
      proving ??= proveOnce().finally(() => (proving = undefined))
      return proving
    },
    noteDone() {
      const waiting = watchers
      watchers = []
      for (const notify of waiting) notify()
    },
  }
}
