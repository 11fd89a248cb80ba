/**
 * Keys for what a deployment signs for itself, so that every node verifies what any node signed. Each
 * purpose has a key of its own, derived from the one secret of the database: what is signed for one is
 * worth nothing for another. An adoption changes all of them, and what was handed out before is dead.
 */
import { hkdfSync } from "node:crypto"
import type { Clock, DeploymentStorage } from "@safelight/core"
import { systemRandomness, type Randomness } from "./identifiers.ts"
import { systemClock } from "./system-clock.ts"

/** What is signed: addresses that providers call back, and those where they fetch a task's input. */
export type KeyPurpose = "callback" | "input"

export interface DeploymentKeys {
  /** 32 bytes, the same at every process of the database. Rejects with `storage-unavailable`. */
  derive(purpose: KeyPurpose): Promise<Uint8Array>
}

export interface DeploymentKeysOptions {
  readonly storage: Pick<DeploymentStorage, "agreeOnSecret">
  readonly clock?: Pick<Clock, "monotonicNow">
  readonly randomness?: Randomness
}

/** How soon the nodes that run notice an adoption: it is rare, and the nodes are stopped for it. */
const BELIEVED_MS = 10_000
const KEY_BYTES = 32

export function createDeploymentKeys(options: DeploymentKeysOptions): DeploymentKeys {
  const { clock = systemClock, randomness = systemRandomness, storage } = options
  let reading: Promise<string> | undefined
  let believed: { readonly secret: string; readonly untilMs: number } | undefined
  const derived = new Map<string, Uint8Array>()

  async function read(): Promise<string> {
    const untilMs = clock.monotonicNow() + BELIEVED_MS
    const proposed = Buffer.from(randomness(new Uint8Array(KEY_BYTES))).toString("hex")
    const secret = await storage.agreeOnSecret(proposed)
    if (secret !== believed?.secret) derived.clear()
    believed = { secret, untilMs }
    return secret
  }

  async function readOrBelieve(): Promise<string> {
    if (believed !== undefined && clock.monotonicNow() < believed.untilMs) return believed.secret
    reading ??= read().finally(() => (reading = undefined))
    return reading
  }

  return {
    async derive(purpose) {
      const secret = await readOrBelieve()
      const name = `${purpose} ${secret}`
      const known = derived.get(name)
      if (known !== undefined) return known
      const label = `safelight:${purpose}:1`
      const bytes = hkdfSync("sha256", Buffer.from(secret, "hex"), "", label, KEY_BYTES)
      const key = new Uint8Array(bytes)
      derived.set(name, key)
      return key
    },
  }
}
