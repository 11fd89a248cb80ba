/** The signed tree over the log of a service: what it shows of it, and the run that signs it each minute. */
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Clock, Log, ProofService, Storage } from "@safelight/core"
import {
  createCheckpointKeeper,
  createProofService,
  createTreeHash,
  hashTile,
  isRefusal,
  type CheckpointKeeper,
} from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import type { CheckpointSettings, Configuration } from "../configuration/configuration.ts"
import { toErrorCode } from "../metrics/error-code.ts"
import type { Watching } from "../metrics/watching.ts"
import { EACH_MINUTE, type ScheduledRun } from "../service/schedules.ts"
import { createCheckpointCopies } from "./checkpoint-copies.ts"
import { toLogKeys } from "./log-keys.ts"

export const tree = createTreeHash(sha256)

/** The root of a full tile. */
export const hashServiceTile = (hashes: Uint8Array): Uint8Array => hashTile(tree, hashes)

/** So many events are hashed in some 4 ms, in which requests wait. */
const BATCH_EVENTS = 1_000

/** No member if the log is not signed. Throws `invalid-configuration`. */
export function createServiceProofs(
  storage: Storage,
  settings: CheckpointSettings,
): { readonly proofs?: ProofService } {
  const { keys } = toLogKeys(settings) ?? {}
  if (keys === undefined) return {}
  return { proofs: createProofService({ storage, tree, sha256, keys, nextTurn }) }
}

/** Undefined without the secret key. Rejects with `invalid-configuration`. */
export async function createKeeper(
  storage: Storage,
  configuration: Pick<Configuration, "checkpoints" | "credentials">,
): Promise<CheckpointKeeper | undefined> {
  const { keys = [], signer } = toLogKeys(configuration.checkpoints) ?? {}
  if (signer === undefined) return undefined
  return createCheckpointKeeper({
    storage,
    tree,
    signer,
    formerKeys: keys.slice(1),
    verify: verifyEd25519,
    copies: await createCheckpointCopies(configuration),
    batchEvents: BATCH_EVENTS,
  })
}

export interface SigningOptions {
  readonly storage: Storage
  readonly configuration: Configuration
  readonly clock: Pick<Clock, "now">
  readonly log: Log
  /** Is told of each failure, in addition to the log. */
  readonly watching: Pick<Watching, "onSigningFailure">
}

/** None without the secret key. Rejects with `invalid-configuration`. */
export async function toCheckpointRuns(options: SigningOptions): Promise<readonly ScheduledRun[]> {
  const keeper = await createKeeper(options.storage, options.configuration)
  if (keeper === undefined) return []
  return [{ name: "checkpoint", pattern: EACH_MINUTE, run: createSigningRun(keeper, options) }]
}

function createSigningRun(
  keeper: CheckpointKeeper,
  { clock, log, watching }: SigningOptions,
): ScheduledRun["run"] {
  const { onSigningFailure } = watching
  let signedSize = -1

  async function keep(): ReturnType<CheckpointKeeper["keep"]> {
    try {
      return await keeper.keep(clock.now())
    } catch (error) {
      onSigningFailure({ step: "sign", code: toErrorCode(error) })
      throw error
    }
  }

  return async () => {
    const kept = await keep()
    if (isRefusal(kept)) {
      onSigningFailure({ step: "sign", code: kept.code })
      log.error({ reason: kept.code, advice: kept.reason }, "checkpoint refused")
      return
    }
    const { size } = kept.checkpoint
    if (size !== signedSize) log.info({ size }, "checkpoint signed")
    signedSize = size
    for (const { copy, error } of kept.failures) {
      onSigningFailure({ step: "copy", code: toErrorCode(error) })
      log.warn({ copy, error }, "checkpoint not copied")
    }
  }
}
