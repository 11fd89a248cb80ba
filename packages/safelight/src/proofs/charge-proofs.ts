/** The proofs of an account's charges, all under one checkpoint, of events as the account may see them. */
import type { BilledCharge } from "@safelight/audit"
import { toShownEvents, type ProvenEvent, type Storage, type TreeStorage } from "@safelight/core"
import { sha256 as digest } from "@safelight/engine"
import { createEventProver } from "@safelight/proof"
import { requireCheckpoint } from "./newest-checkpoint.ts"
import { tree } from "./service-proofs.ts"

export interface ProvenCharge {
  readonly event: ProvenEvent
  /** Of the event before it. */
  readonly previousHash: string
}

export interface ChargeProofs {
  /** The signed note that all of them lead to. */
  readonly checkpoint: string
  /** Null if the checkpoint is older than the charge, or if the account may not know the event's hash. */
  prove(charge: Pick<BilledCharge, "event" | "task">): Promise<ProvenCharge | null>
}

type ProofStorage = Pick<Storage, "readEvents"> &
  Pick<TreeStorage, "findCheckpoint" | "findLeaf" | "readTile">

/** Rejects with a `CommandError` if no checkpoint was signed yet. */
export async function createChargeProofs(storage: ProofStorage): Promise<ChargeProofs> {
  const checkpoint = await requireCheckpoint(storage)
  const proveEvent = createEventProver({ storage, tree, checkpoint })
  return {
    checkpoint: checkpoint.note,
    async prove({ event: { version }, task }) {
      const events = toShownEvents(digest, await storage.readEvents(task))
      const [before, shown] = events.slice(version - 2, version)
      if (before === undefined || shown === undefined) return null
      const event = await proveEvent(shown)
      return event && { event, previousHash: before.hash }
    },
  }
}
