/** The run of a node that signs the log, beside everything else that it does and whatever becomes of the node. */
import type { Log, TreeStorage } from "@safelight/core"
import {
  createCheckpointKeeper,
  createTreeHash,
  isRefusal,
  type CheckpointKeeper,
  type NoteSigner,
} from "@safelight/proof"
import { openSignerKey, sha256, verifyEd25519 } from "@safelight/proof/node"

export const ORIGIN = "faults.example/log"

/** Often enough that a kill meets it at any of its steps. */
const SIGN_MS = 200

export const tree = createTreeHash(sha256)

/** `secret` is that of all nodes of a round. Throws where it is none. */
export function openSigner(secret: string): NoteSigner {
  const signer = openSignerKey(secret)
  if (isRefusal(signer)) throw new TypeError(signer.reason)
  return signer
}

export function createKeeper(storage: TreeStorage, secret: string): CheckpointKeeper {
  return createCheckpointKeeper({
    storage,
    tree,
    signer: openSigner(secret),
    verify: verifyEd25519,
  })
}

export interface SigningOptions {
  readonly storage: TreeStorage
  readonly secret: string
  readonly now: () => number
  readonly log: Log
}

/** Returns how to stop it; resolves once nothing of it is under way. */
export function startSigning({ log, now, secret, storage }: SigningOptions): () => Promise<void> {
  const keeper = createKeeper(storage, secret)
  let signing: Promise<void> | undefined

  async function sign(): Promise<void> {
    try {
      const kept = await keeper.keep(now())
      if (isRefusal(kept)) log.warn({ reason: kept.reason }, "checkpoint refused")
    } catch (error) {
      log.warn({ error }, "a checkpoint failed")
    }
  }

  const timer = setInterval(() => {
    signing ??= sign().finally(() => (signing = undefined))
  }, SIGN_MS)
  return async () => {
    clearInterval(timer)
    await signing
  }
}
