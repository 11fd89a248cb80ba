/** A log in a storage, signed by a key of the process. */
import assert from "node:assert/strict"
import type { Storage } from "@safelight/core"
import {
  createCheckpointKeeper,
  createLeafReader,
  createTreeHash,
  isRefusal,
} from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import { createSigner } from "../proof/signed-tasks.ts"

export const tree = createTreeHash(sha256)
export const signer = createSigner()

const SIGNED_AT = 2_000_000_000

/** The signed note of the tree as it stands, which has every event that was committed. */
export async function signStorage(storage: Storage): Promise<string> {
  const keeper = createCheckpointKeeper({ storage, tree, signer, verify: verifyEd25519 })
  const kept = await keeper.keep(SIGNED_AT)
  assert.ok(!isRefusal(kept))
  return kept.checkpoint.note
}

/** Reads a task's leaves, in order, each with its proof under the tree as it stands. */
export async function readSignedLeaves(
  storage: Storage,
): Promise<ReturnType<typeof createLeafReader>> {
  const { size } = (await storage.readTree()) ?? assert.fail()
  return createLeafReader({ storage, tree, size, hasProofs: true })
}
