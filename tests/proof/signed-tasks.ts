/** A signed log in memory: tasks, their tree, and the keys of its operator. */
import assert from "node:assert/strict"
import { createPublicKey, generateKeyPairSync, sign } from "node:crypto"
import type { KeptCheckpoint } from "@safelight/core"
import {
  createCheckpointKeeper,
  createVerifierKey,
  isRefusal,
  type CheckpointKeeperOptions,
  type NoteSigner,
  type Refusal,
} from "@safelight/proof"
import { createSignerKey, openSignerKey, sha256, verifyEd25519 } from "@safelight/proof/node"
import { createMemoryStorage, type MemoryStorage } from "@safelight/testkit"
import { addTask } from "../support/sample-log.ts"
import { tree } from "./sample-tree.ts"

export const ORIGIN = "media.example/log"
export const NOW = 1_767_225_600_000

export function createSigner(name = ORIGIN): NoteSigner {
  return demand(openSignerKey(createSignerKey(name)))
}

/** One who signs that a checkpoint was seen, and when. */
export function createWitness(name: string): NoteSigner {
  const { privateKey } = generateKeyPairSync("ed25519")
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" })
  const publicKey = Buffer.from(x, "base64url")
  return {
    key: createVerifierKey(sha256, { name, publicKey, type: "cosignature" }),
    sign: async (message) => sign(null, message, privateKey),
  }
}

export function demand<Value extends object>(value: Refusal | Value): Value {
  assert.ok(!isRefusal(value), JSON.stringify(value))
  return value
}

export interface SignedTasks {
  readonly storage: MemoryStorage
  readonly signer: NoteSigner
  add(...ids: readonly string[]): Promise<void>
  sign(): Promise<KeptCheckpoint>
}

export async function createSignedTasks(
  options: Partial<CheckpointKeeperOptions> = {},
): Promise<SignedTasks> {
  const storage = createMemoryStorage()
  const signer = options.signer ?? createSigner()
  const keeper = createCheckpointKeeper({
    storage,
    tree,
    verify: verifyEd25519,
    ...options,
    signer,
  })
  return {
    storage,
    signer,
    async add(...ids) {
      for (const id of ids) await addTask(storage, id)
    },
    sign: async () => demand(await keeper.keep(NOW)).checkpoint,
  }
}
