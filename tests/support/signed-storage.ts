/** A log in a storage, signed by a key of the process. */
import assert from "node:assert/strict"
import type { ExportedLeaf } from "@safelight/audit"
import type { Storage } from "@safelight/core"
import {
  createCheckpointKeeper,
  createTreeHash,
  createTreeSource,
  isRefusal,
  keepTiles,
  proveInclusion,
  toBase64,
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
export async function createLeafReader(
  storage: Storage,
): Promise<(task: string) => Promise<readonly ExportedLeaf[]>> {
  const { size } = (await storage.readTree()) ?? assert.fail()
  const source = keepTiles(createTreeSource(storage, { size, tree }))
  return async (task) => {
    const leaves = await storage.readLeaves(task)
    return Promise.all(
      leaves.map(async ({ index }) => {
        const proof = await proveInclusion(source, index)
        return { index, proof: proof.map(toBase64) }
      }),
    )
  }
}
