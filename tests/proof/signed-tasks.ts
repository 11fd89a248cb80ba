/** A signed log in memory: tasks, their tree, and the keys of its operator. */
import assert from "node:assert/strict"
import type { KeptCheckpoint } from "@safelight/core"
import {
  createCheckpointKeeper,
  isRefusal,
  type CheckpointKeeperOptions,
  type NoteSigner,
  type Refusal,
} from "@safelight/proof"
import { createSignerKey, openSignerKey, verifyEd25519 } from "@safelight/proof/node"
import { createMemoryStorage, type MemoryStorage } from "@safelight/testkit"
import { addTask } from "../support/sample-log.ts"
import { tree } from "./sample-tree.ts"

export const ORIGIN = "media.example/log"
export const NOW = 1_767_225_600_000

export function createSigner(name = ORIGIN): NoteSigner {
  return demand(openSignerKey(createSignerKey(name)))
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
