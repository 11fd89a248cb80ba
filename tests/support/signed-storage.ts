/** A log in a storage, signed by a key of the process. */
import assert from "node:assert/strict"
import type { Storage, UnsequencedEvent } from "@safelight/core"
import {
  createCheckpointKeeper,
  createLeafReader,
  createSequencer,
  createTreeHash,
  hashTile as hashTileOf,
  isRefusal,
} from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import { createSigner } from "../proof/signed-tasks.ts"

export const tree = createTreeHash(sha256)
export const signer = createSigner()

export const hashTile = (hashes: Uint8Array): Uint8Array => hashTileOf(tree, hashes)

const SIGNED_AT = 2_000_000_000

/** The signed note of the tree as it stands, which has every event that was committed. */
export async function signStorage(storage: Storage): Promise<string> {
  const keeper = createCheckpointKeeper({ storage, tree, signer, verify: verifyEd25519 })
  const kept = await keeper.keep(SIGNED_AT)
  assert.ok(!isRefusal(kept))
  return kept.checkpoint.note
}

/** A note that no event has. */
const NO_NOTE = -(2 ** 50)

/** Gives the tree so many leaves more, of events that no log has: from the first milliseconds of the epoch. */
export async function growTree(storage: Storage, leaves: number): Promise<void> {
  let left = leaves
  const invented: Storage = {
    ...storage,
    async listUnsequenced(limit) {
      const events = Array.from({ length: Math.min(left, limit) }, (_, place) =>
        toInvented(leaves - left + place),
      )
      left -= events.length
      return { events, notes: events.map(() => NO_NOTE) }
    },
  }
  await createSequencer({ storage: invented, tree }).sequence()
}

function toInvented(index: number): UnsequencedEvent {
  const task = `00000000-0001-7000-8000-${String(index >> 2).padStart(12, "0")}`
  return { task, version: 1 + (index % 4), at: 1 + index, hash: "ab".repeat(32) }
}

/** Reads a task's leaves, in order, each with its proof under the tree as it stands. */
export async function readSignedLeaves(
  storage: Storage,
): Promise<ReturnType<typeof createLeafReader>> {
  const { size } = (await storage.readTree()) ?? assert.fail()
  return createLeafReader({ storage, tree, size, hasProofs: true })
}
