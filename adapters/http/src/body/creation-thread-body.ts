/**
 * The thread that reads large bodies: one job at a time, told by a message, answered by one. It
 * knows core's models and no others; a job says whether those are the service's.
 */
import { createHash, randomBytes } from "node:crypto"
import { parentPort } from "node:worker_threads"
import { findSealedParameters, MODELS, type DigestPart } from "@safelight/core"
import { Refusal } from "../errors/refusal.ts"
import { joinPieces } from "./body-pieces.ts"
import { readCreation, sealCreation, type Sealing } from "./creation.ts"
import { fromRefusal, type CreationAnswer, type CreationJob } from "./creation-job.ts"
import { toPlaces } from "./string-places.ts"

if (parentPort === null) throw new Error("creation-thread-body.ts is the body of a worker thread")
const port = parentPort
const SEALING: Sealing = { models: MODELS, digest: sha256, createSalt }

port.on("message", (job: CreationJob) => void answer(job))

async function answer(job: CreationJob): Promise<void> {
  port.postMessage(await read(job).catch(toAnswer))
}

async function read(job: CreationJob): Promise<CreationAnswer> {
  const creation = await readCreation(joinPieces(job), job)
  if (!job.hasCoreModels) return { kind: "creation", ...creation }
  const checked = sealCreation(creation, SEALING)
  const { parameters, ...others } = checked
  // A message carries no symbol: it is named here, and marked again where it arrives.
  const sealed = findSealedParameters(checked)
  if (sealed === undefined) return { kind: "creation", ...others, parameters }
  return { kind: "creation", ...others, sealed, parameters: toPlaces(parameters, sealed.body) }
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
