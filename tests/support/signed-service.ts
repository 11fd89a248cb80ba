/** A real service with a signed log and a few tasks, whose key the test has: it signs when the test says so. */
import { createKey } from "@safelight/access"
import type { KeptCheckpoint, Storage } from "@safelight/core"
import {
  createCheckpointKeeper,
  createTreeHash,
  toVerifierText,
  type NoteSigner,
} from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import { createService, DEFAULTS, type Service } from "safelight"
import { createSigner, demand } from "../proof/signed-tasks.ts"
import { edit, recordTasks } from "../service/command/recorded-tasks.ts"
import { createTemporaryFolder } from "./temporary-folder.ts"

export interface SignedService extends AsyncDisposable {
  readonly service: Service
  readonly url: string
  /** The API key of an account. */
  readonly key: string
  /** The public key of the log. */
  readonly logKey: string
  /** Of the account, finished. */
  readonly tasks: readonly string[]
  sign(): Promise<KeptCheckpoint>
}

const ACCOUNT = "default"

export async function createSignedService(signer = createSigner()): Promise<SignedService> {
  await using resources = new AsyncDisposableStack()
  const { path: data } = resources.use(await createTemporaryFolder())
  const tasks = await recordTasks(data, [edit(2), edit(1)], { account: ACCOUNT })
  const logKey = toVerifierText(signer.key)
  const checkpoints = { keys: [logKey] }
  const configuration = { ...DEFAULTS, data, port: 0, logLevel: "silent" as const, checkpoints }
  const service = await createService({ configuration, adopt: true })
  resources.defer(() => service.stop())
  const { storage, url } = service
  const { key } = await createKey({ keys: storage, account: ACCOUNT, now: Date.now() })
  const kept = resources.move()
  return {
    service,
    url,
    key,
    logKey,
    tasks,
    sign: () => signLog(storage, signer),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Everything that was committed before the call. */
export async function signLog(storage: Storage, signer: NoteSigner): Promise<KeptCheckpoint> {
  const tree = createTreeHash(sha256)
  const keeper = createCheckpointKeeper({ storage, tree, signer, verify: verifyEd25519 })
  return demand(await keeper.keep(Date.now())).checkpoint
}
