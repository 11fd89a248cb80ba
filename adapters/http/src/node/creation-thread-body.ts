/**
 * The code of a thread for large bodies, which does one job at a time. It knows core's models and loads
 * others when the first creation names one. It uses only those that describe themselves as the service's
 * do: a file that was changed since the start is another model, and its creations are left to the service.
 */
import { createHash, randomBytes } from "node:crypto"
import { MODELS, type DigestPart, type Json, type Model } from "@safelight/core"
import { Refusal } from "../errors/refusal.ts"
import { describeParameters } from "../openapi/describe-parameters.ts"
import { joinPieces } from "../body/body-pieces.ts"
import { readCreation, sealCreation, type Sealing } from "../body/creation.ts"
import {
  fromRefusal,
  type CreationAnswer,
  type CreationJob,
  type OwnModels,
  type ThreadModels,
} from "../body/creation-job.ts"

const SEALING: Sealing = { digest: sha256, createSalt }

/** What the pool calls; never rejects. */
export async function answer(job: CreationJob): Promise<CreationAnswer> {
  return read(job).catch(toAnswer)
}

async function read(job: CreationJob): Promise<CreationAnswer> {
  const creation = await readCreation(joinPieces(job), job)
  const found = await findModel(creation.model, job)
  if (found === undefined) return { kind: "creation", ...creation }
  if (typeof found === "string") return { kind: "creation", ...creation, lack: found }
  return { kind: "creation", ...sealCreation(creation, found, SEALING) }
}

/** Undefined if the service is to check; a text if the thread should have, and why it could not. */
async function findModel(
  id: string,
  { coreModels, ownModels }: CreationJob,
): Promise<Model | string | undefined> {
  if (coreModels.includes(id)) return MODELS.find((model) => model.id === id)
  const description = findDescription(id, ownModels)
  if (ownModels === undefined || description === undefined) return undefined
  try {
    const models = await loadModels(ownModels)
    const model = models.find((each) => each.id === id)
    if (model === undefined) return "its module no longer has it"
    const isSame = JSON.stringify(describeParameters(model)) === description
    return isSame ? model : "it was changed since the service started"
  } catch (error) {
    return String(error)
  }
}

function findDescription(id: string, own: OwnModels | undefined): string | undefined {
  return own !== undefined && Object.hasOwn(own.descriptions, id) ? own.descriptions[id] : undefined
}

const loading = new Map<string, Promise<readonly Model[]>>()

/** Loads once, even if that failed: whoever mends the file restarts the service. */
function loadModels({ argument, module }: ThreadModels): Promise<readonly Model[]> {
  const name = JSON.stringify([module, argument])
  const known = loading.get(name) ?? importModels(module, argument)
  loading.set(name, known)
  return known
}

async function importModels(module: string, argument: Json): Promise<readonly Model[]> {
  const { loadModels: load } = (await import(module)) as {
    readonly loadModels: (argument: Json) => Promise<readonly Model[]>
  }
  return load(argument)
}

function toAnswer(error: unknown): CreationAnswer {
  if (error instanceof Refusal) return { kind: "refused", refusal: fromRefusal(error) }
  return { kind: "failed", error }
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
