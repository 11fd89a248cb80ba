/**
 * The public models: the three, and those of the operator's files. The threads that check large requests run
 * this too, and load the files anew.
 */
import { open } from "node:fs/promises"
import { MODELS, readModelFile, SafelightError, toFaultWords, type Model } from "@safelight/core"
import { listFaults } from "../configuration/configuration-fault.ts"
import { importDefault, invalidModule } from "../configuration/import-module.ts"
import { toModel, type Refuse } from "./check-model.ts"
import {
  isModelData,
  listModelPaths,
  MOST_MODEL_BYTES,
  toCode,
  type ModelPath,
  type ModelPlace,
} from "./model-places.ts"

/** Rejects with `invalid-configuration`, naming the file and what is wrong with it. */
export async function loadModels(places: readonly ModelPlace[]): Promise<readonly Model[]> {
  const hasBuiltin = places.every((place) => typeof place === "string" || place.builtin)
  const builtin = hasBuiltin ? MODELS : []
  const taken = new Map(builtin.map(({ id }) => [id, "one of the three has already"]))
  const own: Model[] = []
  for (const found of await listModelPaths(places)) {
    const { path } = found
    const refuse: Refuse = (why, cause) => invalidModule("models", path, why, cause)
    // oxlint-disable-next-line no-await-in-loop -- in order, so that the first fault is the one reported
    const model = await loadModel(found, refuse)
    const owner = taken.get(model.id)
    if (owner !== undefined) throw refuse(`has the id ${model.id}, which ${owner}`)
    taken.set(model.id, `module ${path} has already`)
    own.push(model)
  }
  if (own.length + builtin.length > 0) return [...builtin, ...own]
  const message = "models: no model is left: the three are off, and no file defines another"
  throw new SafelightError({ code: "invalid-configuration", message })
}

/** What is wrong with each file by itself, in words for people. */
export async function listModelFaults(places: readonly ModelPlace[]): Promise<readonly string[]> {
  const paths = await listModelPaths(places)
  const faults = paths.map(async (found) => {
    try {
      await loadModel(found, (why, cause) => invalidModule("models", found.path, why, cause))
      return []
    } catch (error) {
      return listFaults(error)
    }
  })
  return (await Promise.all(faults)).flat()
}

async function loadModel({ fault, path }: ModelPath, refuse: Refuse): Promise<Model> {
  if (fault !== undefined) throw refuse(fault)
  if (!isModelData(path)) return toModel(await importDefault("models", path), refuse)
  const read = readModelFile(parse(await readText(path, refuse), refuse))
  if (read.kind === "model") return read.model
  throw refuse(toFaultWords(read.faults))
}

async function readText(path: string, refuse: Refuse): Promise<string> {
  try {
    await using file = await open(path)
    const bytes = Buffer.allocUnsafe(MOST_MODEL_BYTES + 1)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    if (bytesRead > MOST_MODEL_BYTES) throw refuse(`is larger than ${MOST_MODEL_BYTES} bytes`)
    return bytes.toString("utf8", 0, bytesRead)
  } catch (error) {
    if (error instanceof SafelightError) throw error
    throw refuse(`can't be read: ${toCode(error)}`, error)
  }
}

function parse(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refuse(`is no JSON: ${toCode(error)}`, error)
  }
}
