/** What a service shows of its signed tree. It signs nothing, and so needs only public keys. */
import type { ProofService, TaskStorage, TreeStorage } from "@safelight/core"
import { HASH_BYTES, type Sha256 } from "../bytes/sha256.ts"
import { toVerifierText, type VerifierKey } from "../notes/verifier-key.ts"
import { parseTilePath } from "../tiles/tile-path.ts"
import { MOST_LEAVES, type TreeHash } from "../tree/hash-tree.ts"
import { proveEvents } from "./prove-events.ts"
import { proveTask } from "./prove-task.ts"

export interface ProofServiceOptions {
  readonly storage: Pick<TaskStorage, "readEvents"> &
    Pick<TreeStorage, "findCheckpoint" | "findLeaf" | "readLeaves" | "readTile">
  readonly tree: TreeHash
  readonly sha256: Sha256
  /** The log's own, the newest first; its name is the log's origin. */
  readonly keys: readonly [VerifierKey, ...VerifierKey[]]
  /** Resolves once others have run: Node's `setImmediate`. Absent: a page of proofs is made in one go. */
  readonly nextTurn?: () => Promise<unknown>
}

export function createProofService({
  keys,
  nextTurn = async () => {},
  sha256,
  storage,
  tree,
}: ProofServiceOptions): ProofService {
  const findCheckpoint = () => storage.findCheckpoint({ mostSize: MOST_LEAVES })
  return {
    identity: { origin: keys[0].name, keys: keys.map(toVerifierText) },
    findCheckpoint,
    async readTile(path) {
      const tile = parseTilePath(`tile/${path}`)
      const hashes = tile && (await storage.readTile(tile))
      const bytes = (tile?.width ?? 0) * HASH_BYTES
      return hashes === undefined || hashes.length < bytes ? undefined : hashes.subarray(0, bytes)
    },
    async proveTask(task, viewer) {
      const checkpoint = await findCheckpoint()
      return checkpoint && proveTask({ storage, tree, sha256, checkpoint, viewer }, task)
    },
    async proveEvents(events) {
      const checkpoint = await findCheckpoint()
      return checkpoint && proveEvents({ storage, tree, checkpoint, nextTurn }, events)
    },
  }
}
