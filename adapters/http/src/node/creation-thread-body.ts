/**
 * The program of a thread for large bodies, which answers one job at a time. It checks by core's models, and
 * by others only if they describe themselves as the service's do: a file that was changed since the start is
 * another model, and its creations are left to the service.
 */
import { createHash, randomBytes } from "node:crypto"
import process from "node:process"
import { parentPort, workerData } from "node:worker_threads"
import { MODELS, type DigestPart, type Json, type Model } from "@safelight/core"
import { joinPieces } from "../body/body-pieces.ts"
import {
  fromRefusal,
  type CreationAnswer,
  type CreationJob,
  type KnownModels,
  type ThreadModels,
} from "../body/creation-job.ts"
import { readCreation, sealCreation, type Sealing } from "../body/creation.ts"
import { Refusal } from "../errors/refusal.ts"
import { describeParameters } from "../openapi/describe-parameters.ts"

const { coreModels, descriptions, threadModels } = workerData as KnownModels

const SEALING: Sealing = { digest: sha256, createSalt }

parentPort?.on("message", (job: CreationJob) => {
  answer(job)
    .then((made) => parentPort?.postMessage(made, []))
    .catch(endThread)
})

// A schema of a host's that goes on after its check was told so by that check. What becomes of it later is of no
// request, and its words may be a caller's.
process.on("unhandledRejection", () => undefined)

function endThread(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

/** Never rejects. */
async function answer(job: CreationJob): Promise<CreationAnswer> {
  try {
    const creation = await readCreation(joinPieces(job), job)
    const found = await findModel(creation.model)
    if (found === undefined) return { kind: "creation", ...creation }
    if (typeof found === "string") return { kind: "creation", ...creation, lack: found }
    return { kind: "creation", ...sealCreation(creation, found, SEALING) }
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", refusal: fromRefusal(error) }
    return { kind: "failed", error }
  }
}

/** Undefined if the service is to check; a text if the thread should have, and why it could not. */
async function findModel(id: string): Promise<Model | string | undefined> {
  if (coreModels.includes(id)) return MODELS.find((model) => model.id === id)
  const description = descriptions.get(id)
  if (threadModels === undefined || description === undefined) return undefined
  try {
    const model = (await loadModels(threadModels)).find((each) => each.id === id)
    if (model === undefined) return "its module no longer has it"
    return JSON.stringify(describeParameters(model)) === description
      ? model
      : "it was changed since the service started"
  } catch (error) {
    return String(error)
  }
}

let loading: Promise<readonly Model[]> | undefined

/** Loads once, even if that failed: a mended file needs a restart of the service. */
function loadModels(models: ThreadModels): Promise<readonly Model[]> {
  loading ??= importModels(models)
  return loading
}

interface ModelsLoader {
  readonly loadModels: (argument: Json) => Promise<readonly Model[]>
}

async function importModels({ argument, module }: ThreadModels): Promise<readonly Model[]> {
  const loader: ModelsLoader = await import(module)
  return loader.loadModels(argument)
}

/** SHA-256 over the concatenation of `parts`, without making it. */
function sha256(parts: readonly DigestPart[]): string {
  const digest = createHash("sha256")
  for (const part of parts) {
    if (typeof part === "string") digest.update(part, "utf8")
    else digest.update(part.hex, "hex")
  }
  return digest.digest("hex")
}

function createSalt(): string {
  return randomBytes(16).toString("hex")
}
